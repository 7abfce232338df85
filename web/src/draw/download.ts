// Saving what is seen: SVG, PNG, CSV. All is made here, nothing is fetched.

export type Cell = string | number;
export type Rows = Cell[][]; // the first row is the head

/** RFC 4180; numbers as they are, a place that is not visible is empty. */
export function csvText(rows: Rows): string {
  const cell = (value: Cell): string => {
    if (typeof value === "number")
      return Number.isNaN(value) ? "" : String(value);
    return /[",\r\n]/.test(value) ? `"${value.replace(/"/g, '""')}"` : value;
  };
  return rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

export function fileName(name: string, ending: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  return `fovea-${plain || "picture"}.${ending}`;
}

export function save(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** The picture as a file of its own, on its ground. */
export function svgText(picture: SVGSVGElement, ground: string): string {
  const copy = picture.cloneNode(true) as SVGSVGElement;
  for (const name of ["style", "tabindex", "class", "aria-roledescription"])
    copy.removeAttribute(name);
  for (const node of copy.querySelectorAll("[style],[tabindex]")) {
    node.removeAttribute("style");
    node.removeAttribute("tabindex");
  }
  copy.setAttribute("role", "img");
  const back = document.createElementNS(copy.namespaceURI, "rect");
  back.setAttribute("width", "100%");
  back.setAttribute("height", "100%");
  back.setAttribute("fill", ground);
  copy.prepend(back);
  return new XMLSerializer().serializeToString(copy);
}

export async function pngBlob(
  picture: SVGSVGElement,
  ground: string,
): Promise<Blob> {
  const text = svgText(picture, ground);
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
  await image.decode();
  const canvas = document.createElement("canvas");
  const box = picture.viewBox.baseVal;
  // Twice the size, as sharp as screens of today; less for very large ones.
  const scale = Math.min(2, 8000 / Math.max(box.width, box.height));
  canvas.width = Math.ceil(box.width * scale);
  canvas.height = Math.ceil(box.height * scale);
  const context = canvas.getContext("2d");
  context?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) =>
      blob ? resolve(blob) : reject(new Error("no PNG could be made")),
    ),
  );
}

export function saveSvg(name: string, picture: SVGSVGElement, ground: string) {
  const text = svgText(picture, ground);
  save(fileName(name, "svg"), new Blob([text], { type: "image/svg+xml" }));
}

export async function savePng(
  name: string,
  picture: SVGSVGElement,
  ground: string,
): Promise<void> {
  save(fileName(name, "png"), await pngBlob(picture, ground));
}

export function saveCsv(name: string, rows: Rows): void {
  save(fileName(name, "csv"), new Blob([csvText(rows)], { type: "text/csv" }));
}
