// Find a category; then explore it, complete it, review what was found.
import { address, allIsWell, ask, complain, count, counted, el, fill, later, query, say } from "/static/base.js";

const main = document.getElementById("main");
const facts = await ask("/api/home/facts").catch((error) => complain(error));
const can = (page) => facts.pages.includes(page);

const input = el("input", {
  type: "search",
  id: "finder",
  placeholder: "Find a category; typing errors are forgiven",
  autocomplete: "off",
  spellcheck: "false",
  value: query.get("q") ?? "",
  input: later(120, look),
});
const labels = el("tbody");
const runs = el("div");
let shownRuns;
const job = el("div", { class: "job" });

if (facts) {
  fill(
    main,
    el("h1", {}, facts.corpus),
    el("p", { class: "quiet" }, [
      counted(facts.documents, "document"), counted(facts.labels, "label"), counted(facts.vocabulary, "distinct token"),
    ].join(", ")),
    el("form", { class: "finder", role: "search", submit: (event) => event.preventDefault() },
      el("label", { for: "finder" }, "Category"), input),
    job,
    el("table", { class: "labels" },
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Label"), el("th", { scope: "col", class: "number" }, "Documents"),
        el("th", { scope: "col" }, el("span", { class: "said" }, "What to do")))),
      labels),
    runs,
  );
  showRuns(facts.runs);
  look();
  follow();
  input.focus();
}

async function look() {
  const wanted = input.value.trim();
  history.replaceState(null, "", address("/home", { q: wanted }));
  try {
    const found = await ask(address("/api/home/labels", { q: wanted, limit: wanted ? 30 : 12 }));
    if (wanted !== input.value.trim()) return;
    allIsWell();
    fill(labels, found.labels.map(labelRow));
    say(`${counted(found.labels.length, "label")} found`);
  } catch (error) {
    complain(error);
  }
}

function labelRow({ label, documents }) {
  return el("tr", {},
    el("td", {}, label),
    el("td", { class: "number" }, count(documents)),
    el("td", {},
      can("explore") && el("a", { href: address("/explore", { label }), "aria-label": `Explore ${label}` }, "Explore"),
      can("explore") && " ",
      el("button", { type: "button", "aria-label": `Discover what is missing from ${label}`, click: () => discover(label) }, "Discover")));
}

function showRuns(listed) {
  // A link that is made again while it is clicked loses the click.
  if (JSON.stringify(listed) === shownRuns) return runs;
  shownRuns = JSON.stringify(listed);
  if (!listed.length) return fill(runs);
  return fill(runs, el("h2", {}, "Runs"), el("table", { class: "runs" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Run"), el("th", { scope: "col" }, "Category"),
      el("th", { scope: "col", class: "number" }, "Members"), el("th", { scope: "col" }, el("span", { class: "said" }, "What to do")))),
    el("tbody", {}, listed.map((run) => el("tr", {},
      el("td", {}, run.name),
      el("td", {}, run.label ?? "a list of members"),
      el("td", { class: "number" }, count(run.members)),
      el("td", {},
        can("review") && el("a", { href: address("/review", { run: run.name }), "aria-label": `Review ${run.name}` }, "Review"),
        " ",
        can("report") && el("a", { href: address("/report", { run: run.name }), "aria-label": `Report of ${run.name}` }, "Report")))))));
}

async function discover(label) {
  try {
    await ask("/api/home/discover", { label });
    allIsWell();
    follow();
  } catch (error) {
    complain(error);
  }
}

async function follow() {
  const { job: state } = await ask("/api/home/job").catch(() => ({ job: null }));
  if (!state) return;
  if (state.error) {
    fill(job);
    complain(new Error(`${state.name}: ${state.error}`));
  } else if (state.is_done) {
    fill(job, el("p", {}, `${state.name}: done. `, can("review") && el("a", { href: address("/review", { run: state.result }) }, "Review it")));
    say(`${state.name} is done.`);
    showRuns((await ask("/api/home/facts")).runs);
  } else {
    fill(job, el("label", {}, `${state.name}: ${state.what} `, el("progress", { value: state.share, max: 1 })));
    setTimeout(follow, 300);
  }
}
