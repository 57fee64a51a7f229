// Right and wrong decisions on each side of the line, as priorwise.explorer.measures has them.
import { el } from "/static/base.js";

/** Which documents are below the line y = slope · x + shift, by their log odds. */
export function below(x, odds, { slope, shift }) {
  return odds > (1 - slope) * x - shift;
}

export function measure(points, kinds, heldOut, line, othersPerMember) {
  let tp = 0, fp = 0, fn = 0, tn = 0;
  for (let i = 0; i < points.x.length; i++) {
    if (kinds.heldOut[i] !== heldOut) continue;
    if (below(points.x[i], points.odds[i], line)) kinds.member[i] ? tp++ : fp++;
    else kinds.member[i] ? fn++ : tn++;
  }
  const share = (part, whole) => (whole ? part / whole : 0);
  return {
    tp, fp, fn, tn,
    precision: share(tp, tp + fp), recall: share(tp, tp + fn),
    f1: share(2 * tp, 2 * tp + fp + fn), ppv: share(tp, tp + othersPerMember * fp),
  };
}

const PARTS = [
  ["training", "Training", "Documents that the model was trained on"],
  ["left_out", "Left out", "The training documents, judged by models that did not know whether they are members"],
  ["held_out", "Held out", "Documents that no model was trained on"],
];
const MEASURES = [
  ["f1", "F1", "The harmonic mean of precision and recall"],
  ["precision", "Precision", "The share of the documents put in the category that are members"],
  ["recall", "Recall", "The share of the members that are found"],
  ["ppv", "In corpus", "Precision (PPV) in the whole corpus, of which the other documents are a sample here"],
  ["counts", "Found", "Members and other documents that the model puts in the category"],
];

/** The figures beside the view; `show` takes what is known and leaves a dash where nothing is. */
export function measuresTable(isSample) {
  // Where every document is a point, precision in the corpus is the precision.
  const shown = MEASURES.filter(([name]) => isSample || name !== "ppv");
  const cells = new Map();
  const cell = (part, measure) => {
    const node = el("td", { class: `number ${measure}`, dataset: { measure, on: part } }, "–");
    cells.set(`${part} ${measure}`, node);
    return node;
  };
  const node = el("table", { class: "measures" },
    el("thead", {}, el("tr", {}, el("td"), shown.map(([, name, title]) => el("th", { scope: "col", class: "number", title }, name)))),
    el("tbody", {}, PARTS.map(([part, name, title]) => el("tr", {},
      el("th", { scope: "row", title }, name), shown.map(([measure]) => cell(part, measure))))));

  function show(found) {
    for (const [part, of] of Object.entries(found)) {
      for (const [measure] of shown) cells.get(`${part} ${measure}`).textContent = of ? written(of, measure) : "–";
    }
  }
  return { node, show };
}

function written(of, measure) {
  return measure === "counts" ? `${of.tp} / ${of.fp}` : of[measure].toFixed(3);
}
