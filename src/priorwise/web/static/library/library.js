// The categories: those that somebody works on, all others, and new ones made from examples.
import { address, ago, allIsWell, ask, complain, count, counted, el, fill, jobView, later, query, say } from "/static/base.js";

const PAGE = 50;
const HEADINGS = ["Category", "Members", "Estimated missing", "Found", "Last activity"];
const main = document.getElementById("main");
const facts = await ask("api/library/facts").catch((error) => complain(error));
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
      facts.labels > 0 && el("a", { class: "button", href: address("library", { new: 1 }) }, "New category")),
    works,
    facts.labels === 0
      ? el("div", { class: "empty card" }, el("p", {}, "These documents have no categories yet. Describe one, or show a few examples."), el("a", { class: "button main", href: address("library", { new: 1 }) }, "New category"))
      : [el("h2", {}, "Which category should be completed?"),
        el("form", { class: "finder", role: "search", submit: first }, el("label", { class: "said", for: "finder" }, "Find a category"), input),
        table("labels", labels), nothing, more]);
  look();
  follow();
}

function table(kind, body) {
  return el("table", { class: `categories ${kind}` },
    el("thead", {}, el("tr", {}, HEADINGS.map((name, at) => el("th", { scope: "col", class: at > 1 ? "number known" : at ? "number" : null }, name)), el("th", { scope: "col" }, el("span", { class: "said" }, "What to do")))),
    body);
}

/** One category: what is known of it, and one thing to do. */
function row(name, members, note, action) {
  const [expected, low, high] = (note?.missing ?? []).map(Math.round);
  const missing = note?.safe ? "safe to stop" : note?.missing ? (expected === 0 ? "probably none" : [`about ${count(expected)}`, el("small", {}, ` (${count(low)}–${count(high)})`)]) : "";
  const cell = (what, ...content) => el("td", { class: `number${what === "members" ? "" : " known"}`, "data-name": what }, content);
  return el("tr", {},
    el("td", { dir: "auto" }, el("span", { class: "clamped" }, name)),
    cell("members", count(members)), cell("missing", missing), cell("found", note?.judged > 0 ? count(note.found) : ""), cell("", note ? ago(note.at) : ""),
    el("td", {}, action));
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
    // What somebody works on is in the table above; a search finds it all the same.
    const rows = found.labels.filter(({ begun }) => wanted || !begun?.runs.length).map(labelRow);
    labels.parentElement.classList.toggle("fresh", !found.labels.some(({ begun }) => begun?.runs.length && wanted));
    if (offset) labels.append(...rows);
    else fill(labels, rows);
    if (offset) rows[0]?.querySelector(".act")?.focus();
    fill(more, found.more && el("button", { type: "button", click: () => look(offset + PAGE) }, "Show more"));
    fill(nothing, !found.labels.length && !offset && el("div", { class: "empty" }, el("p", {}, `There is no category “${wanted}”.`),
      el("a", { class: "button", href: address("library", { new: wanted || 1 }) }, "Make it a new category")));
    say(found.labels.length ? `${counted(found.labels.length, "category", "categories")} shown` : "No category found");
  } catch (error) {
    complain(error);
  }
}

function labelRow({ label, documents, begun }) {
  const open = begun && begun.runs.length > 0;
  if (begun && !open) return row(label, documents, null, el("span", { class: "quiet" }, "See above"));
  return row(label, documents, open ? begun : null, open
    ? el("a", { class: "button act", href: bench(begun), "aria-label": `Continue ${label}` }, "Continue")
    : el("button", { type: "button", class: "act", "aria-label": `Find what is missing from ${label}`, click: () => find(label) }, "Find missing"));
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
  const whole = (content) => el("tr", { class: "whole" }, el("td", { colspan: HEADINGS.length + 1 }, content));
  fill(works, categories.length > 0 && [el("h2", {}, "In progress"), table("works", el("tbody", {}, categories.map((note) => {
    const job = working.get(note.name);
    if (job) return whole(jobView(job, cancel));
    if (!note.interrupted) return row(note.name, note.members, note, el("a", { class: "button main", href: bench(note), "aria-label": `${note.judged ? "Continue" : "See candidates for"} ${note.name}` }, action(note)));
    const trouble = failed.get(note.name);
    return whole(el("div", { class: "interrupted" },
      el("div", {}, el("strong", { dir: "auto" }, note.name), el("p", { class: trouble ? "trouble" : "quiet" }, trouble ? trouble.error : note.runs.length ? "Learning again was interrupted. Your verdicts are safe." : "The search was interrupted. Nothing is lost.")),
      el("div", { class: "row" },
        el("button", { type: "button", click: () => act("api/library/forget", { key: note.key }), "aria-label": `${note.runs.length ? "Keep the ranking of" : "Discard"} ${note.name}` }, note.runs.length ? "Keep the ranking" : "Discard"),
        el("button", { type: "button", class: "main", click: () => act("api/library/resume", { key: note.key }), "aria-label": `Resume ${note.name}` }, trouble ? "Try again" : "Resume"))));
  })))]);
  if (focused) works.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
}

function action(note) {
  if (!note.judged) return "See candidates";
  return note.waiting ? `Continue, ${note.waiting < 200 ? count(note.waiting) : "200+"} waiting` : "Continue";
}

async function find(label) {
  try {
    await ask("api/library/find", { label });
    allIsWell();
    say(`Finding what is missing from ${label}.`);
    input.value = "";
    await Promise.all([follow(), look()]);
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
  const wanted = el("input", { type: "search", id: "wanted", autocomplete: "off", placeholder: "Search the documents", input: later(200, seek), keydown: (event) => { if (event.key === "Enter") { event.preventDefault(); seek(); } } });
  const found = el("ul", { class: "found" });
  const heading = el("p", { class: "quiet", role: "status" });
  const ticked = el("ul", { class: "ticked", "aria-label": "Chosen documents" });
  fill(main, el("form", { class: "new", submit: make },
    el("h1", {}, "New category"),
    el("p", { class: "quiet" }, "Say what you know: a name, and a few examples, words or a description. priorwise finds documents like them."),
    el("div", { class: "halves" },
      el("div", {},
        field(name, "Name"),
        field(description, "Description", "Optional: a sentence or two about what belongs here."),
        field(words, "Keywords", "Optional: words that count for it (+) or against it (-). “:2” doubles a word.")),
      el("div", {},
        field(wanted, "Examples", "Search, then tick documents that belong to the category."),
        found)),
    el("div", { class: "actions" }, el("button", { type: "submit", class: "main" }, "Find documents like these"), el("a", { class: "button", href: "library" }, "Cancel"), heading, ticked)));
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
      fill(found, documents.map(example));
      say(documents.length ? `${counted(documents.length, "document")} found` : "No document has these words");
      if (!documents.length) fill(found, el("li", { class: "quiet" }, "No document has these words."));
    } catch (error) {
      complain(error);
    }
    return undefined;
  }

  /** A document that was found; its row stays where it is when it is ticked. */
  function example(each) {
    const box = el("input", { type: "checkbox", checked: chosen.has(each.id), dataset: { id: each.id }, change: () => {
      if (box.checked) chosen.set(each.id, each);
      else chosen.delete(each.id);
      show();
    } });
    return el("li", { class: "card" }, el("label", {}, box, el("strong", { class: "clamped", dir: "auto" }, each.title), el("span", { class: "quiet clamped", dir: "auto" }, each.text)));
  }

  function show() {
    fill(heading, chosen.size ? `${counted(chosen.size, "example")} chosen` : "");
    fill(ticked, [...chosen.values()].map((each) => el("li", {}, el("span", { dir: "auto" }, each.title), el("button", { type: "button", class: "plain", "aria-label": `Remove ${each.title}`, click: () => {
      chosen.delete(each.id);
      const box = [...found.querySelectorAll("input")].find((other) => other.dataset.id === each.id);
      if (box) box.checked = false;
      show();
      (ticked.querySelector("button") ?? wanted).focus();
    } }, "×"))));
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
