// Right and wrong decisions on each side of the line, as priorwise.view.measures has them.
import { el, fill } from "/static/base.js";

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

const ROWS = [
  ["f1", "F1", "The harmonic mean of precision and recall"],
  ["precision", "Precision", "The share of the documents below the line that are members"],
  ["recall", "Recall", "The share of the members that are below the line"],
  ["ppv", "PPV", "Precision at the corpus's own odds, where others are a sample here"],
];
const COLUMNS = [
  ["training", "Training", "Documents that the model was trained on"],
  ["left_out", "Left out", "The training documents, each judged by a model that has not seen it"],
  ["held_out", "Held out", "Documents that no model was trained on"],
];

/** The figures beside the view; `show` takes what is known and leaves a dash where nothing is. */
export function measuresTable() {
  const cells = new Map();
  const cell = (row, column) => {
    const node = el("td", { class: "number", dataset: { measure: row, on: column } }, "–");
    cells.set(`${row} ${column}`, node);
    return node;
  };
  const counts = COLUMNS.map(([column]) => el("td", { class: "number quiet", dataset: { measure: "counts", on: column } }, "–"));
  const node = el("table", { class: "measures" },
    el("thead", {}, el("tr", {}, el("td"), COLUMNS.map(([, name, title]) => el("th", { scope: "col", class: "number", title }, name)))),
    el("tbody", {},
      ROWS.map(([row, name, title]) => el("tr", { class: row }, el("th", { scope: "row", title }, name), COLUMNS.map(([column]) => cell(row, column)))),
      el("tr", {}, el("th", { scope: "row", title: "Members below the line, and others below it" }, "Found"), counts)));

  function show(found) {
    COLUMNS.forEach(([column], place) => {
      if (!(column in found)) return;
      const of = found[column];
      for (const [row] of ROWS) cells.get(`${row} ${column}`).textContent = of ? of[row].toFixed(3) : "–";
      fill(counts[place], of ? `${of.tp} / ${of.fp}` : "–");
    });
  }
  return { node, show };
}
