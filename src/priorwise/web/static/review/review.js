// Who are you; then one document after the other; then what came of it.
import { address, ask, complain, el, fill, query } from "/static/base.js";
import { judging } from "/static/review/judging.js";
import { showResults } from "/static/review/results.js";

const main = document.getElementById("main");
const start = await ask(address("api/review/start", { run: query.get("run") })).catch((error) => complain(error));

if (start) {
  if (query.get("results")) showResults(main, start);
  else if (query.get("reviewer")) judging(main, start, query.get("reviewer"));
  else askName();
}

function askName() {
  const name = el("input", {
    id: "name", required: true, maxlength: 100, autocomplete: "name", list: "names",
    value: localStorage.getItem("priorwise-reviewer") ?? "",
  });
  const n = start.items.length.toLocaleString("en-GB");
  const begin = (event) => {
    event.preventDefault();
    const given = name.value.trim();
    if (!given) return;
    localStorage.setItem("priorwise-reviewer", given);
    location.assign(address("review", { run: start.run, reviewer: given }));
  };
  const others = el("select", { id: "run", change: () => location.assign(address("review", { run: others.value })) },
    start.runs.map((each) => el("option", { value: each.name, selected: each.name === start.run }, `${each.label ?? "a list of members"} (${each.name})`)));
  fill(main, el("div", { class: "review" },
    start.runs.length > 1 && el("p", { class: "row" }, el("label", { for: "run" }, "Run"), others),
    el("h1", {}, start.label === null ? start.run : `Does it belong to “${start.label}”?`),
    el("p", {}, `Evaluate: ${n} documents from two rankings, mixed. Which ranking a document comes from, and how high it was, is not shown, so your verdicts are a fair measure of both.`),
    el("form", { class: "who card", submit: begin },
      el("label", { for: "name" }, "Your name"), name,
      el("datalist", { id: "names" }, start.reviewers.map((each) => el("option", { value: each.name }))),
      el("button", { class: "main", type: "submit" }, "Begin"))));
  name.focus();
}
