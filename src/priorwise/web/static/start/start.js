// Bring a file, look at what it holds, make a corpus of it; or open one that is there.
import { address, ago, allIsWell, ask, complain, count, counted, el, fill, jobView, query, say } from "/static/base.js";

const ROLES = [
  ["text", "Text", "priorwise learns from it"],
  ["title", "Title", "Shown in lists, and learned from"],
  ["labels", "Categories", "Those a document already has"],
  ["id", "Id", "Identifies each row"],
];
const SEPARATORS = [["", "none: one category per cell"], [";", "semicolon  ;"], ["|", "bar  |"], [",", "comma  ,"], ["\n", "line break"]];
const main = document.getElementById("main");
let timer;

if (query.get("upload")) wizard(query.get("upload"));
else start();
addEventListener("popstate", () => location.reload());

async function start() {
  clearTimeout(timer);
  let state;
  try {
    state = await ask("/api/start/state");
  } catch (error) {
    return complain(error);
  }
  const jobs = el("section", { "aria-label": "At work" });
  const list = el("section");
  const chosen = el("input", { type: "file", id: "file", hidden: true, accept: [...state.endings, ".gz", ".bz2", ".xz", ".zst"].join(","), change: () => chosen.files.length && bring(chosen.files[0], state) });
  const zone = el("div", { class: "drop" },
    el("button", { type: "button", class: state.interrupted.length ? null : "main", click: () => chosen.click() }, "Choose a file"),
    el("div", {}, "or drop it here"),
    el("div", { class: "quiet" }, "A spreadsheet or CSV, references (RIS, PubMed, BibTeX, EndNote), JSON lines, Parquet, or a wiki dump. The file stays on this computer."),
    chosen);
  for (const kind of ["dragenter", "dragover"]) document.addEventListener(kind, (event) => { event.preventDefault(); zone.classList.add("over"); });
  document.addEventListener("dragleave", (event) => event.relatedTarget === null && zone.classList.remove("over"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    if (document.contains(zone) && event.dataTransfer.files.length) bring(event.dataTransfer.files[0], state);
  });
  fill(main,
    el("div", { class: "hero" },
      el("h1", {}, "Find what is missing from a category."),
      el("p", {}, "Open a file of documents and their categories. priorwise learns what the members of a category have in common and shows the documents most likely to be missing. Say Yes or No, and it learns from every answer.")),
    jobs, zone,
    el("p", { class: "or" }, "No file at hand? ", el("button", { type: "button", class: "link", click: demo }, "Try the demo")),
    list);
  show(state, jobs, list);
  if (state.jobs.some((job) => !isOver(job))) follow((now) => show(now, jobs, list), jobs, new Set(state.jobs.filter((job) => !isOver(job)).map((job) => job.id)));
}

/** The last step: how far the import is, and nothing else to look at. */
async function importing(name) {
  clearTimeout(timer);
  const box = el("div", { class: "card" });
  fill(main, steps(2), el("h1", { dir: "auto", tabindex: "-1" }, "Importing"), box, el("p", { class: "quiet" }, "The categories open when it is done. You can close this page meanwhile: the import continues."));
  main.querySelector("h1").focus();
  const draw = (state) => {
    const job = state.jobs.findLast((each) => each.corpus === name);
    if (!job || (isOver(job) && job.state !== "done")) start();
    else if (!isOver(job)) fill(box, jobView(job, cancel));
  };
  try {
    const state = await ask("/api/start/state");
    const watched = new Set(state.jobs.filter((job) => job.corpus === name && job.state !== "failed").map((job) => job.id));
    draw(state);
    await follow(draw, box, watched);
  } catch (error) {
    complain(error);
  }
}

const isOver = (job) => !["waiting", "running"].includes(job.state);

function show(state, jobs, list) {
  const failed = state.jobs.filter((job) => job.state === "failed");
  fill(jobs,
    state.jobs.filter((job) => !isOver(job)).map((job) => el("div", { class: "card" }, jobView(job, cancel))),
    failed.map((job) => el("div", { class: "card" }, el("p", { class: "trouble", role: "alert" }, `${job.name}: ${job.error}`), el("button", { type: "button", click: () => cancel(job) }, "Dismiss"))),
    state.interrupted.filter(({ name }) => !failed.some((job) => job.corpus === name)).map((each) => el("div", { class: "card row" },
      el("span", { dir: "auto" }, `The import of ${each.title} was interrupted.`),
      el("button", { type: "button", class: "main", click: () => act("/api/start/resume", { name: each.name }) }, "Resume"),
      el("button", { type: "button", click: () => act("/api/start/forget", { name: each.name }) }, "Discard"))));
  if (!state.corpora.length) return fill(list);
  return fill(list, el("h2", {}, "Your corpora"), el("ul", { class: "corpora" }, state.corpora.map((corpus) => el("li", {},
    corpus.error
      ? el("div", { class: "card" }, el("strong", { dir: "auto" }, corpus.title), el("p", { class: "trouble" }, corpus.error))
      : el("a", { class: "card", href: `/c/${encodeURIComponent(corpus.name)}/library` },
        el("strong", { dir: "auto" }, corpus.title),
        el("span", { class: "quiet" }, [counted(corpus.documents, "document"), counted(corpus.labels, "category", "categories"), corpus.used ? `used ${ago(corpus.used)}` : ""].filter(Boolean).join(" · ")))))));
}

/** Ask how far the imports are; the one that was begun here is opened when it is done. */
async function follow(draw, jobs, watched) {
  clearTimeout(timer);
  try {
    const state = await ask("/api/start/state");
    for (const job of state.jobs.filter((each) => watched.has(each.id))) {
      if (job.state === "done") {
        say(`${job.name} is imported.`);
        return location.assign(`/c/${encodeURIComponent(job.result)}/library`);
      }
    }
    const focused = document.activeElement?.getAttribute("aria-label");
    draw(state);
    if (focused) jobs.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
    if (!state.jobs.some((job) => !isOver(job))) return undefined;
  } catch (error) {
    if (error.status) return complain(error);
  }
  timer = setTimeout(() => follow(draw, jobs, watched), 400);
  return undefined;
}

async function act(path, body) {
  try {
    await ask(path, body);
    allIsWell();
    await start();
  } catch (error) {
    complain(error);
  }
}

const cancel = (job) => act("/api/start/cancel", { job: job.id });

async function demo() {
  try {
    const { name } = await ask("/api/start/demo", {});
    const state = await ask("/api/start/state");
    if (state.corpora.some((corpus) => corpus.name === name)) return location.assign(`/c/${name}/library`);
    await start();
    main.querySelector(".job")?.scrollIntoView({ block: "center" });
  } catch (error) {
    complain(error);
  }
  return undefined;
}

/** Send a file; XMLHttpRequest tells how much has gone, which fetch does not. */
function bring(file, { largest, endings }) {
  const name = file.name.toLowerCase().replace(/\.(gz|bz2|xz|zst)$/, "");
  if (!endings.some((ending) => name.endsWith(ending))) return complain(new Error(`${file.name} cannot be read. priorwise reads files that end in ${endings.join(", ")}.`));
  if (file.size > largest) return complain(new Error(`${file.name} is too large for the browser. Use “priorwise ingest” in a terminal.`));
  allIsWell();
  const bar = el("progress", { max: 1, "aria-label": "Copied" });
  const request = new XMLHttpRequest();
  fill(main, steps(0), el("h1", { dir: "auto" }, file.name), el("p", { class: "quiet", role: "status" }, "Copying the file…"), bar,
    el("p", { class: "actions" }, el("button", { type: "button", click: () => { request.abort(); start(); } }, "Cancel")));
  request.open("POST", address("/api/start/upload", { name: file.name }));
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.responseType = "json";
  request.upload.addEventListener("progress", (event) => { bar.value = event.loaded / event.total; });
  request.addEventListener("load", async () => {
    if (request.status === 201) {
      history.pushState(null, "", address("/start", { upload: request.response.upload }));
      return wizard(request.response.upload);
    }
    await start();
    return complain(new Error(request.response?.error ?? "The file could not be copied."));
  });
  request.addEventListener("error", async () => {
    await start();
    complain(new Error("The file could not be copied: the server does not answer."));
  });
  request.send(file);
  return undefined;
}

function steps(at) {
  return el("ol", { class: "steps" }, ["Copy", "Check", "Import"].map((name, place) => el("li", { "aria-current": place === at ? "step" : null }, `${place + 1}. ${name}`)));
}

/** Show what a file holds, and let people correct what was guessed. */
async function wizard(upload) {
  const chosen = {};
  fill(main, steps(1), el("p", { class: "quiet", role: "status" }, "Reading the file…"));
  const look = async (focus) => {
    try {
      const found = await ask(address("/api/start/preview", { upload }) + Object.entries(chosen).map(([role, name]) => `&${role}=${encodeURIComponent(name)}`).join(""));
      draw(found);
      if (focus) document.getElementById(focus)?.focus();
    } catch (error) {
      if (!main.querySelector("h1")) fill(main, steps(1), el("h1", {}, "This file cannot be read"), el("p", {}, "It may be damaged, empty, or of a different kind than its name says."), el("p", {}, el("a", { class: "button main", href: "/start" }, "Choose another file")));
      complain(error);
    }
  };
  await look();

  function draw(found) {
    const begin = el("button", { type: "button", class: "main", click: go }, "Import");
    const size = found.bytes < 1e6 ? `${count(Math.ceil(found.bytes / 1000))} kB` : `${count(Math.round(found.bytes / 1e6))} MB`;
    fill(main, steps(1), el("h1", { dir: "auto", tabindex: "-1" }, found.name),
      found.wiki
        ? el("p", {}, `The dump of a wiki, ${size}. Each article becomes a document and keeps its categories. Redirects, disambiguation pages and very short pages are skipped.`)
        : table(found, size),
      el("div", { class: "actions" }, begin, el("button", { type: "button", click: back }, "Choose another file")));
    if (!main.contains(document.activeElement)) main.querySelector("h1").focus();
  }

  function table(found, size) {
    const is = Object.fromEntries(Object.entries(found.roles).map(([role, name]) => [name, ROLES.find(([each]) => each === role)[1]]));
    const pick = ([role, name, note]) => el("div", { class: "field" },
      el("label", { for: `role-${role}` }, name),
      el("select", { id: `role-${role}`, "aria-describedby": `note-${role}`, change: (event) => { chosen[role] = event.target.value; if (role === "labels") delete chosen.separator; look(event.target.id); } },
        role !== "text" && el("option", { value: "" }, role === "id" ? "none: number the rows" : "none"),
        found.columns.map((column) => el("option", { value: column, selected: found.roles[role] === column }, column))),
      el("span", { class: "quiet", id: `note-${role}` }, note));
    const roles = ["title", "text", "labels", "id"];
    const place = (name) => (is[name] ? roles.findIndex((role) => found.roles[role] === name) : roles.length);
    const known = SEPARATORS.some(([value]) => value === found.separator);
    // Columns with a role come first: a wide file hides the others, not these.
    const order = found.columns.map((_, at) => at).sort((a, b) => place(found.columns[a]) - place(found.columns[b]) || a - b);
    return [
      el("p", { class: "quiet" }, `${size}, ${found.whole ? counted(found.looked_at, "row") : `first ${counted(found.looked_at, "row")} read`}. Check which column is which, then import.`),
      el("div", { class: "roles" }, ROLES.map(pick),
        found.roles.labels && el("div", { class: "field" },
          el("label", { for: "separator" }, "Separator"),
          el("select", { id: "separator", change: (event) => { chosen.separator = event.target.value; look("separator"); } },
            SEPARATORS.map(([value, name]) => el("option", { value, selected: value === found.separator }, name)),
            !known && el("option", { value: found.separator, selected: true }, found.separator)),
          el("span", { class: "quiet" }, "Between several categories"))),
      el("div", { class: "preview", tabindex: "0", role: "region", "aria-label": "The first ten rows" }, el("table", {},
        el("thead", {}, el("tr", {}, order.map((at) => found.columns[at]).map((name) => el("th", { scope: "col", class: is[name] ? "used" : null, dir: "auto" }, name, is[name] && el("span", { class: "is" }, is[name]))))),
        el("tbody", {}, found.rows.map((row) => el("tr", {}, order.map((at) => el("td", { dir: "auto", class: is[found.columns[at]] ? "used" : null }, row[at]))))))),
      found.n_categories > 0 && [
        el("h2", {}, `${count(found.n_categories)}${found.whole ? "" : " or more"} ${found.n_categories === 1 ? "category" : "categories"}`),
        el("ul", { class: "chips" }, found.categories.map(({ label, documents }) => el("li", { dir: "auto" }, label, el("span", { class: "quiet" }, ` ${count(documents)}`))))],
      (found.remarks.length > 0 || found.unlabelled > 0) && el("div", { class: "notes" }, el("h2", {}, "Before you import"),
        el("ul", {}, found.remarks.map((each) => el("li", {}, each)),
          found.n_categories > 0 && found.unlabelled > 0 && el("li", {}, `${counted(found.unlabelled, "row")} without a category. priorwise looks for missing members there, too.`))),
    ];
  }

  async function back() {
    await ask("/api/start/drop", { upload }).catch(() => {});
    location.assign("/start");
  }

  async function go() {
    try {
      const { name } = await ask("/api/start/import", { upload, columns: chosen });
      history.replaceState(null, "", "/start");
      await importing(name);
    } catch (error) {
      complain(error);
    }
  }
}
