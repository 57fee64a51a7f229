// The categories: those that somebody works on, all others, and new ones made from examples.
import { address, ago, allIsWell, ask, complain, count, counted, el, fill, jobView, later, query, say } from "/static/base.js";

const PAGE = 50;
const main = document.getElementById("main");
const facts = await ask("api/library/facts").catch((error) => complain(error));
const can = (page) => facts.pages.includes(page);
const isOver = (job) => !["waiting", "running"].includes(job.state);

const input = el("input", { type: "search", id: "finder", placeholder: "Find a category", autocomplete: "off", spellcheck: "false", value: query.get("q") ?? facts?.suggested ?? "", input: later(120, () => look()) });
const works = el("section");
const labels = el("tbody");
const more = el("p", { class: "more" });
const nothing = el("div");
let shownWorks = "";
const watched = new Set();
let timer;

if (facts) {
  if (query.get("new") !== null) create();
  else list();
}
addEventListener("popstate", () => location.reload());

function list() {
  fill(main,
    el("div", { class: "head" },
      el("div", {}, el("h1", { dir: "auto" }, facts.corpus),
        el("p", { class: "quiet" }, [counted(facts.documents, "document"), counted(facts.labels, "category", "categories")].join(" · "))),
      el("a", { class: "button", href: address("library", { new: 1 }) }, "New category")),
    works,
    facts.labels === 0
      ? el("div", { class: "empty card" }, el("p", {}, "These documents have no categories yet."), el("a", { class: "button main", href: address("library", { new: 1 }) }, "Make the first one from examples"))
      : [el("h2", {}, "Which category should be completed?"),
        el("form", { class: "finder", role: "search", submit: first }, el("label", { class: "said", for: "finder" }, "Find a category"), input),
        el("table", { class: "labels" },
          el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Category"), el("th", { scope: "col", class: "number" }, "Members"), el("th", { scope: "col" }, el("span", { class: "said" }, "What to do")))),
          labels),
        nothing, more]);
  look();
  follow();
}

/** Enter works: it does what the first row's button does. */
function first(event) {
  event.preventDefault();
  labels.querySelector(".act")?.click();
}

async function look(offset = 0) {
  const wanted = input.value.trim();
  if (!offset) history.replaceState(null, "", address("library", { q: wanted === facts.suggested ? null : wanted }));
  try {
    const found = await ask(address("api/library/labels", { q: wanted, offset, limit: PAGE }));
    if (wanted !== input.value.trim()) return;
    allIsWell();
    const rows = found.labels.map(labelRow);
    if (offset) labels.append(...rows);
    else fill(labels, rows);
    if (offset) rows[0]?.querySelector(".act")?.focus();
    fill(more, found.more && el("button", { type: "button", click: () => look(offset + PAGE) }, "Show more"));
    fill(nothing, !found.labels.length && !offset && el("div", { class: "empty" }, el("p", {}, `No category is called “${wanted}”.`),
      el("a", { class: "button", href: address("library", { new: wanted || 1 }) }, `Make a new category`)));
    say(found.labels.length ? `${counted(found.labels.length, "category", "categories")} shown` : "No category found");
  } catch (error) {
    complain(error);
  }
}

function labelRow({ label, documents, begun }) {
  const open = begun && begun.runs.length > 0;
  return el("tr", {},
    el("td", { dir: "auto" }, label),
    el("td", { class: "number" }, count(documents)),
    el("td", {},
      can("explore") && el("a", { class: "other", href: address("explore", { label }), "aria-label": `Lab: see what a prior does to ${label}` }, "Lab"),
      open
        ? el("a", { class: "button act", href: bench(begun), "aria-label": `Continue ${label}` }, "Continue")
        : el("button", { type: "button", class: "act", "aria-label": `Find what is missing from ${label}`, click: () => find(label) }, "Find missing")));
}

const bench = (note) => address("workbench", { category: note.key });

/** Categories that somebody works on, with what is known of them, and one thing to do. */
function showWorks({ categories, jobs }) {
  // What is made again while it is clicked loses the click.
  const now = JSON.stringify([categories, jobs]);
  if (now === shownWorks) return;
  shownWorks = now;
  const working = new Map(jobs.filter((job) => !isOver(job)).map((job) => [job.name, job]));
  const failed = new Map(jobs.filter((job) => job.state === "failed").map((job) => [job.name, job]));
  const focused = works.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
  fill(works, categories.length > 0 && el("h2", {}, "In progress"), el("ul", { class: "works" }, categories.map((note) => {
    const job = working.get(note.name);
    if (job) return el("li", { class: "card" }, el("div", {}, jobView(job, cancel)));
    const trouble = note.interrupted && failed.get(note.name);
    return el("li", { class: "card" },
      el("div", {}, el("strong", { dir: "auto" }, note.name), trouble ? el("p", { class: "trouble" }, trouble.error) : el("div", { class: "facts" }, known(note))),
      note.interrupted
        ? el("button", { type: "button", class: "main", click: () => act("api/library/resume", { key: note.key }), "aria-label": `Resume ${note.name}` }, trouble ? "Try again" : "Resume")
        : el("a", { class: "button main", href: bench(note), "aria-label": `${note.judged ? "Continue" : "See candidates for"} ${note.name}` }, note.judged ? "Continue" : "See candidates"));
  })));
  if (focused) works.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
}

function known(note) {
  if (note.interrupted) return "The search was interrupted.";
  const [expected, low, high] = (note.missing ?? []).map(Math.round);
  return [
    counted(note.members, "member"),
    note.judged > 0 && `${count(note.found)} found`,
    note.safe ? "safe to stop" : note.missing && (expected === 0 ? "probably none missing" : `about ${count(expected)} missing (${count(low)}–${count(high)})`),
    note.rounds > 1 && `round ${note.rounds}`,
    ago(note.at),
  ].filter(Boolean).join(" · ");
}

async function find(label) {
  try {
    await ask("api/library/find", { label });
    allIsWell();
    await follow();
    works.scrollIntoView({ block: "nearest" });
  } catch (error) {
    complain(error);
  }
}

async function act(path, body) {
  try {
    await ask(path, body);
    allIsWell();
    await follow();
  } catch (error) {
    complain(error);
  }
}

const cancel = (job) => act("api/library/cancel", { job: job.id });

async function follow() {
  clearTimeout(timer);
  try {
    const state = await ask("api/library/begun");
    for (const job of state.jobs) {
      if (!isOver(job)) watched.add(job.id);
      else if (watched.delete(job.id) && job.state === "done") return location.assign(address("workbench", { category: job.result }));
      else if (job.state === "failed" && !state.categories.some((note) => note.name === job.name)) complain(new Error(`${job.name}: ${job.error}`));
    }
    showWorks(state);
    if (!state.jobs.some((job) => !isOver(job))) return look();
  } catch (error) {
    if (error.status) return complain(error);
  }
  timer = setTimeout(follow, 400);
  return undefined;
}

/** A category that the corpus does not have: a name, what is known about it, and examples that were found and ticked. */
function create() {
  const given = query.get("new");
  const chosen = new Map();
  const name = el("input", { id: "name", required: true, maxlength: 200, autocomplete: "off", value: given === "1" ? "" : given });
  const description = el("textarea", { id: "description", maxlength: 20000 });
  const words = el("input", { id: "words", maxlength: 20000, autocomplete: "off", placeholder: "+comet:2 +planet -castle", spellcheck: "false" });
  const wanted = el("input", { type: "search", id: "wanted", autocomplete: "off", placeholder: "Words to look for", input: later(200, seek), keydown: (event) => { if (event.key === "Enter") { event.preventDefault(); seek(); } } });
  const found = el("ul", { class: "found" });
  const ticked = el("ul", { class: "found" });
  const heading = el("p", { class: "quiet", role: "status" });
  fill(main, el("form", { class: "new", submit: make },
    el("h1", {}, "New category"),
    el("p", { class: "quiet" }, "A few examples are enough. priorwise learns what they have in common, and shows what else belongs with them."),
    field(name, "Name"),
    field(description, "Description", "A sentence or two about what belongs to it. You may leave this empty."),
    field(words, "Words", "Words that count for it (+) or against it (−), one after the other. You may leave this empty."),
    el("div", { class: "field" }, el("label", { for: "wanted" }, "Examples"), wanted, el("span", { class: "quiet" }, "Search the documents, and tick those that belong to it.")),
    found, heading, ticked,
    el("p", { class: "row" }, el("button", { type: "submit", class: "main" }, "Find more like these"), el("a", { class: "button", href: "library" }, "Cancel"))));
  name.focus();
  show();

  function field(control, text, note) {
    return el("div", { class: "field" }, el("label", { for: control.id }, text), control, note && el("span", { class: "quiet" }, note));
  }

  async function seek() {
    const asked = wanted.value.trim();
    if (!asked) return fill(found);
    try {
      const { documents } = await ask(address("api/library/documents", { q: asked }));
      if (asked !== wanted.value.trim()) return undefined;
      allIsWell();
      fill(found, documents.filter(({ id }) => !chosen.has(id)).map((each) => row(each, false)));
      say(documents.length ? `${counted(documents.length, "document")} found` : "No document has these words");
      if (!documents.length) fill(found, el("li", { class: "quiet" }, "No document has these words."));
    } catch (error) {
      complain(error);
    }
    return undefined;
  }

  function row(each, isTicked) {
    const box = el("input", { type: "checkbox", checked: isTicked, change: () => {
      const next = item.nextElementSibling ?? item.previousElementSibling;
      if (box.checked) chosen.set(each.id, each);
      else chosen.delete(each.id);
      item.remove();
      show();
      if (isTicked) seek();
      (next?.querySelector("input") ?? wanted).focus();
    } });
    const item = el("li", { class: "card" }, el("label", {}, box, el("strong", { dir: "auto" }, each.title), !isTicked && el("span", { class: "quiet", dir: "auto" }, each.text)));
    return item;
  }

  function show() {
    fill(heading, chosen.size ? `${counted(chosen.size, "example")} chosen` : "");
    fill(ticked, [...chosen.values()].map((each) => row(each, true)));
  }

  async function make(event) {
    event.preventDefault();
    try {
      await ask("api/library/new", { name: name.value, description: description.value.trim() || null, words: words.value.trim() || null, examples: [...chosen.keys()] });
      history.pushState(null, "", "library");
      list();
    } catch (error) {
      complain(error);
      scrollTo(0, 0);
    }
  }
}
