// Who are you; then one document after the other; then what came of it.
import { address, ask, complain, el, fill, query } from "/static/base.js";
import { judging } from "/static/review/judging.js";
import { showResults } from "/static/review/results.js";

const main = document.getElementById("main");
const start = await ask(address("/api/review/start", { run: query.get("run") })).catch((error) => complain(error));

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
  const begin = (event) => {
    event.preventDefault();
    const given = name.value.trim();
    if (!given) return;
    localStorage.setItem("priorwise-reviewer", given);
    location.assign(address("/review", { run: start.run, reviewer: given }));
  };
  fill(main, el("div", { class: "review" },
    el("h1", {}, start.label === null ? start.run : `Does it belong to “${start.label}”?`),
    el("p", {}, `${start.items.length.toLocaleString("en-GB")} documents from two rankings, mixed. Which ranking a document comes from, and how high it stood, is not shown.`),
    el("form", { class: "who card", submit: begin },
      el("label", { for: "name" }, "Your name"), name,
      el("datalist", { id: "names" }, start.reviewers.map((each) => el("option", { value: each.name }))),
      el("button", { class: "main", type: "submit" }, "Begin"))));
  name.focus();
}
