// The report of one run or several: the same HTML as the file, put into this page.
import { ask, complain, count, el, fill, query, say } from "/static/base.js";

const main = document.getElementById("main");
const chosen = query.getAll("run");
document.head.append(el("link", { rel: "stylesheet", href: "api/report/style.css" }));

if (chosen.length) await show(chosen);
else await choose();

/** Several values of one name, which an object cannot hold. */
function withRuns(path, names) {
  return `${path}?${new URLSearchParams(names.map((name) => ["run", name]))}`;
}

async function show(names) {
  try {
    const text = await received(withRuns("api/report/html", names));
    // Parsed apart, where nothing runs or loads; only its content comes here, under this page's policy.
    const report = new DOMParser().parseFromString(text, "text/html");
    const content = el("div", { id: "report" });
    content.append(...document.adoptNode(report.getElementById("report")).childNodes);
    // The file names a command; here the same is a click.
    for (const command of content.querySelectorAll("pre[data-blind]")) command.replaceWith(el("p", {}, el("a", { class: "button", href: `review?${new URLSearchParams({ run: command.dataset.blind })}` }, "Judge blindly")));
    const file = (name, text, main) => el("a", { class: main ? "button main" : "button", href: withRuns(`api/report/${name}`, names), download: name }, text);
    fill(main,
      el("p", { class: "row files" }, file("report.html", "Download the report", true), file("accepted.csv", "Accepted documents as CSV"), file("accepted.wiki", "as wikitext"), el("a", { href: "report" }, "Other runs")),
      content);
    document.title = `${content.querySelector("h1").textContent} · priorwise`;
    say("The report is ready.");
  } catch (error) {
    complain(error);
  }
}

async function received(path) {
  const response = await fetch(path);
  if (response.ok) return response.text();
  const { error } = await response.json().catch(() => ({}));
  throw new Error(error ?? `The server answered ${response.status}.`);
}

async function choose() {
  const { runs } = await ask("api/report/runs").catch((error) => complain(error) ?? { runs: [] });
  if (!runs.length) {
    fill(main, el("div", { class: "empty" }, el("h1", {}, "There is nothing to report yet"), el("p", {}, "Choose a category and find what is missing from it. Its report appears here."), el("a", { class: "button main", href: "library" }, "All categories")));
    return;
  }
  const boxes = runs.map((run) => el("input", { type: "checkbox", name: "run", value: run.name }));
  const go = (event) => {
    event.preventDefault();
    const names = boxes.filter((box) => box.checked).map((box) => box.value);
    if (names.length) location.assign(withRuns("report", names));
    else complain(new Error("Choose at least one run."));
  };
  fill(main,
    el("h1", {}, "Report"),
    el("form", { class: "runs", submit: go },
      el("fieldset", {}, el("legend", {}, "Which runs? Choose several to compare them."),
        runs.map((run, index) => el("label", {}, boxes[index], ` ${run.label ?? "a list of members"} (${run.name}, ${count(run.members)} members)`))),
      el("p", {}, el("button", { class: "main" }, "Show the report"))));
}
