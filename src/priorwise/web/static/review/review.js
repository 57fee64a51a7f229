// Evaluate: who are you; then one document after the other, origin and rank hidden; then what came of it.
import { address, ask, complain, counted, el, fill, nothingHere, query, say } from "/static/base.js";
import { judging } from "/static/judging.js";
import { showResults } from "/static/review/results.js";

const main = document.getElementById("main");
const start = await ask(address("api/review/start", { run: query.get("run") })).catch((error) => nothingHere("There is nothing to evaluate yet", error));

if (start) {
  if (query.get("results")) showResults(main, start);
  else if (query.get("reviewer")) evaluate(query.get("reviewer"));
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
    el("p", {}, `Judge ${n} documents from two rankings, in random order. The page hides which ranking a document comes from and its place there, so your verdicts measure both rankings fairly. You can stop at any time and continue later.`),
    el("form", { class: "who card", submit: begin },
      el("div", { class: "field" }, el("label", { for: "name" }, "Your name"), name),
      el("datalist", { id: "names" }, start.reviewers.map((each) => el("option", { value: each.name }))),
      el("button", { class: "main", type: "submit" }, "Begin"))));
  name.focus();
}

async function evaluate(reviewer) {
  const verdicts = new Map();
  const done = [];
  const index = new Map(start.items.map(({ id }, at) => [id, at]));
  const begun = performance.now();
  let place = 0;
  let here = 0;

  const part = judging({
    pending: `priorwise-pending ${start.run} ${reviewer} `,
    store: "api/review/verdict",
    key: "id",
    body: (item, verdict, seconds) => ({ run: start.run, reviewer, item, verdict, seconds, ...(verdicts.has(item) && { previous: verdicts.get(item).id }) }),
    read: (id) => address("api/review/document", { run: start.run, id }),
    known: (id) => verdicts.get(id),
    draw: () => null,
    stored: (item, verdict, id) => {
      const before = verdicts.get(item);
      if (!before) here += 1;
      verdicts.set(item, { id, verdict });
      done.push({ item, before });
      next(place + 1);
    },
    refused: (error) => complain(error),
    undo,
  });
  const bar = el("progress", { max: start.items.length || 1, value: 0, "aria-label": "Judged" });
  const counts = el("span");
  const pace = el("span");
  fill(main, el("div", { class: "review" },
    el("h1", { class: "question" }, start.label === null ? "Does it belong to the list?" : `Does it belong to “${start.label}”?`, el("span", { class: "quiet" }, ` ${reviewer}`)),
    part.page, part.bar, bar, el("div", { class: "progress" }, counts, pace),
    el("p", {}, el("a", { href: address("review", { run: start.run, results: 1 }) }, "Results"))));

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement) return;
    if (event.key === "ArrowLeft" && part.shown === null && start.items.length) show(place);
    else if (event.key === "ArrowLeft" && place > 0) show(place - 1);
    else if (event.key === "ArrowRight" && place < start.items.length - 1) show(place + 1);
    else if (!part.pressed(event)) return;
    event.preventDefault();
  });

  try {
    await part.sendPending();
    const own = await ask(address("api/review/own", { run: start.run, reviewer }));
    // What was judged when more documents were asked for is no part of this list.
    for (const { id, item, verdict } of own.verdicts.filter((each) => index.has(each.item))) {
      verdicts.set(item, { id, verdict });
      done.push({ item });
    }
    next(0);
  } catch (error) {
    complain(error);
  }

  function next(from) {
    const isOpen = (at) => !verdicts.has(start.items[at].id);
    for (let at = from; at < start.items.length; at += 1) if (isOpen(at)) return show(at);
    for (let at = 0; at < from; at += 1) if (isOpen(at)) return show(at);
    return finished();
  }

  async function show(at) {
    place = at;
    showProgress();
    const { id, title } = start.items[at];
    await part.show(id, title);
    for (const coming of start.items.slice(at + 1, at + 4)) part.fetched(coming.id).catch(() => {});
  }

  async function undo() {
    if (!done.length) return;
    const { item, before } = done.at(-1);
    const word = before?.verdict ?? "withdrawn";
    const id = await part.save(item, word);
    if (!id) return;
    done.pop();
    if (before) verdicts.set(item, { id, verdict: word });
    else verdicts.delete(item);
    show(index.get(item));
    say("Undone.");
  }

  function showProgress() {
    const n = start.items.length;
    bar.value = verdicts.size;
    fill(counts, `${verdicts.size} of ${counted(n, "document")} judged`);
    const perMinute = here / ((performance.now() - begun) / 60000);
    fill(pace, here >= 3 ? `${perMinute.toFixed(1)} a minute, ${counted(Math.ceil((n - verdicts.size) / perMinute), "minute")} left` : "");
  }

  function finished() {
    showProgress();
    const agreement = el("ul");
    part.end("All judged. Thank you.", agreement, el("p", {}, el("a", { href: address("review", { run: start.run, results: 1 }) }, "See the results")));
    ask(address("api/review/results", { run: start.run })).then((found) => {
      const own = found.agreement.filter(({ first, second }) => [first, second].includes(reviewer));
      fill(agreement, own.map(({ first, second, agreed, documents, kappa }) => el("li", {},
        `You and ${first === reviewer ? second : first}: the same on ${(100 * agreed).toFixed(0)}% of ${counted(documents, "document")}`,
        kappa === null ? "" : `, Cohen’s κ ${kappa.toFixed(2).replace("-", "−")}`)));
    }, complain);
  }
}
