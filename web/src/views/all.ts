// The views, in the order of their tabs.
import type { View } from "../ui/host";
import { alignmentView } from "./alignment";
import { animationView } from "./animation";
import { compositionView } from "./composition";
import { faithfulnessView } from "./faithfulness";
import { flowView } from "./flow";
import { foveatedView } from "./foveated";
import { gatesView } from "./gates";
import { gridView } from "./grid";
import { headView } from "./head";
import { neuronView } from "./neuron";
import { pairView } from "./pair";
import { statisticsView } from "./statistics";
import { wordsView } from "./words";

export const views: View[] = [
  alignmentView,
  wordsView,
  pairView,
  headView,
  gridView,
  neuronView,
  flowView,
  compositionView,
  animationView,
  foveatedView,
  gatesView,
  statisticsView,
  faithfulnessView,
];
