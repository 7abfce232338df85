// Entry of the server's page.
import { el } from "./ui/dom";

document.getElementById("page")?.append(el("p", {}, "Fovea"));
