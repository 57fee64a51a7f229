// What the review says: precision of both rankings, their difference, and how far the reviewers agree.
import { address, ask, colour, complain, counted, el, fill, percent } from "/static/base.js";
import { draw } from "/static/charts.js";

const share = (number) => (number === null ? "–" : number.toFixed(3).replace("-", "−"));
const chance = (p) => (p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(3)}`);

export async function showResults(main, start) {
  let found;
  try {
    found = await ask(address("api/review/results", { run: start.run }));
  } catch (error) {
    return complain(error);
  }
  if (!found.reviewers.length) {
    return fill(main, el("div", { class: "empty" }, el("h1", {}, "Nothing is judged blindly yet"), el("p", {}, "Precision is measured on blind verdicts only. ", open(found)), el("p", {}, el("a", { class: "button main", href: address("review", { run: start.run }) }, "Begin"))));
  }
  const { learned, laplace } = found.rankings;
  const left = found.waiting;
  const unjudged = learned.counts_at_k.unjudged + laplace.counts_at_k.unjudged;
  const { spread, t_test: tTest, exact } = found.difference;
  const chart = el("div", { class: "chart" });
  fill(main,
    el("h1", {}, found.label === null ? start.run : found.label),
    el("p", {}, el("a", { class: left ? "button main" : "", href: address("review", { run: start.run }) }, left ? "Continue judging" : "Back to the documents")),
    left > 0 && el("p", {}, `${counted(left, "document")} still to be judged. The difference between the rankings, its tests and the curves appear then.`),
    el("div", { class: "figures" },
      left ? sofar("Learned", learned, found.k) : figure(`Learned, precision@${found.k}`, learned.at_k),
      left ? sofar("Baseline", laplace, found.k) : figure(`Baseline, precision@${found.k}`, laplace.at_k),
      !left && figure("Difference", spread, `${chance(exact)} (Fisher), ${chance(tTest)} (t-test)`)),
    !left && unjudged > 0 && el("p", { class: "quiet" }, `Of the first ${found.k}, ${learned.counts_at_k.unjudged} of the learned ranking and ${laplace.counts_at_k.unjudged} of the baseline have no verdict. They count as no.`),
    found.teachers.length > 0 && el("p", { class: "quiet" }, open(found), " These figures exclude them because the model chose them."),
    !left && el("div", { class: "card" }, chart,
      el("p", { class: "quiet" }, `Precision@k: the share of members among the first k documents. The area between the curves, the mean of their difference, is ${share(found.area_between)}.`)),
    table("The first documents", ["", "Yes", "No", "Unsure", "Subcategory", "Not judged"],
      [["Learned", learned], ["Baseline", laplace]].map(([name, { counts_at_k: n }]) => [name, n.yes, n.no, n.unsure, n.subcategory, n.unjudged])),
    table("Reviewers", ["Name", "Yes", "No", "Unsure", "Skipped", "Seconds each"],
      found.reviewers.map((each) => [each.name, each.yes, each.no, each.unsure, each.skip, each.seconds === null ? "–" : each.seconds.toFixed(1)])),
    found.agreement.length > 0 && table("Agreement", ["", "Documents", "Agreed", "Cohen’s κ", "95% interval"],
      found.agreement.map((pair) => [`${pair.first} and ${pair.second}`, pair.documents, share(pair.agreed), share(pair.kappa),
        pair.kappa === null ? "–" : `${share(pair.low)} to ${share(pair.high)}`])),
    found.group_agreement.reviewers > 2 && el("p", {}, `All ${found.group_agreement.reviewers} reviewers: Fleiss’ κ ${share(found.group_agreement.fleiss)} on ${counted(found.group_agreement.by_all, "document")} that all judged; Krippendorff’s α ${share(found.group_agreement.alpha)} on ${counted(found.group_agreement.documents, "document")} that two or more judged.`));
  if (left) return undefined;
  const places = learned.ppv.map((_, index) => index + 1);
  return draw(chart, () => ({
    traces: [
      { x: places, y: laplace.ppv, name: "Baseline", mode: "lines", line: { color: colour("--series-2") } },
      { x: places, y: learned.ppv, name: "Learned", mode: "lines", line: { color: colour("--series-1") }, fill: "tonexty", fillcolor: "rgba(127,127,127,0.15)" },
    ],
    layout: { xaxis: { title: { text: "k" } }, yaxis: { title: { text: "precision@k" }, range: [0, 1.02] } },
  }), `Precision@k of both rankings, as far as k = ${found.depth}; the learned one’s minus the baseline’s is ${share(found.area_between)} on average.`);
}

function open({ teachers, progress }) {
  return teachers.length > 0 && `${counted(progress.teaching.length, "document")} judged in the workbench, ${progress.teaching.at(-1) ?? 0} of them accepted.`;
}

function figure(name, spread, note) {
  return el("div", { class: "card" }, name, el("strong", {}, share(spread.value)),
    el("span", { class: "quiet" }, `95% interval ${share(spread.low)} to ${share(spread.high)}`), note && el("div", { class: "quiet" }, note));
}

/** What is known of a ranking of which not all is judged: how many are members so far, and what precision that suggests. */
function sofar(name, { counts_at_k: n, estimate }, k) {
  return el("div", { class: "card" }, `${name}, members among the judged`, el("strong", {}, estimate ? `${n.yes} of ${n.yes + n.no + n.unsure}` : "none judged yet"),
    estimate && el("span", { class: "quiet" }, `precision@${k} is probably between ${percent(estimate.low)} and ${percent(estimate.high)}`));
}

function table(caption, headings, rows) {
  return el("section", {}, el("h2", {}, caption), el("table", {},
    el("thead", {}, el("tr", {}, headings.map((heading, index) => el("th", { scope: "col", class: index ? "number" : null }, heading || el("span", { class: "said" }, "Which"))))),
    el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, index) => (index ? el("td", { class: "number" }, String(cell)) : el("th", { scope: "row" }, String(cell)))))))));
}

