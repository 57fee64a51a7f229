// Judge one document after the other. The ranking learns meanwhile, and never moves what is being read.
import { address, allIsWell, ask, complain, count, counted, el, fill, later, outside, query, say } from "/static/base.js";

const KEYS = [["yes", "y", "Yes"], ["no", "n", "No"], ["unsure", "u", "Unsure"], ["skip", "s", "Skip"]];
const RETRY = 1000;
const main = document.getElementById("main");
const category = query.get("category");
const reviewer = query.get("reviewer") || localStorage.getItem("priorwise-reviewer") || "me";
const about = { category, reviewer };

const start = await ask(address("api/workbench/start", { category })).catch((error) => {
  fill(main, el("div", { class: "empty" }, el("h1", {}, "This category cannot be opened"), el("p", {}, el("a", { class: "button main", href: "library" }, "All categories"))));
  complain(error);
});
if (start) bench();

function bench() {
  document.title = `${start.name} · priorwise`;
  let state = null;
  let shown = null;
  let shownAt = 0;
  let isSaving = false;
  let words = start.words;
  let tab = "queue";
  const judgedHere = new Set();
  const texts = new Map();
  const pending = `priorwise-pending ${location.pathname} ${start.run} ${reviewer} `;

  // Above
  const sums = el("div", { class: "sums", role: "status" }, "Learning from the members…");
  const banner = el("div");
  const finish = el("a", { class: "button", href: address("finish", { category }) }, "Finish");
  const head = el("div", { class: "status" },
    el("h1", { dir: "auto" }, start.name), sums,
    el("button", { type: "button", class: "show list", click: () => root.classList.toggle("listing") }, "Queue"),
    el("button", { type: "button", class: "show", click: () => root.classList.toggle("explaining") }, "Why"),
    finish, banner);

  // Left
  const filter = el("input", { type: "search", "aria-label": "Filter the queue by title", placeholder: "Filter", input: later(80, drawQueue) });
  const tabs = [["queue", "Candidates"], ["new", "New"], ["judged", "Judged"]].map(([name, text]) => el("button", { type: "button", "aria-pressed": String(name === tab), dataset: { tab: name }, click: () => choose(name) }, text));
  const changes = el("p", { class: "quiet", role: "status" });
  const list = el("ol", { "aria-label": "Documents" });
  const queue = el("nav", { class: "queue", "aria-label": "Queue" }, filter, el("div", { class: "tabs" }, tabs), changes, list);

  // Centre
  const title = el("h2", { dir: "auto", tabindex: "-1" });
  const meta = el("div");
  const text = el("div", { class: "text", dir: "auto" });
  const page = el("article", { class: "document", tabindex: "0", "aria-label": "Document" }, title, meta, text);

  // Right
  const why = el("aside", { class: "why", "aria-label": "Why", tabindex: "0" });

  // Below
  const note = el("input", { hidden: true, maxlength: 2000, "aria-label": "Note on this document", placeholder: "Note: kept with your verdict", keydown: (event) => { if (["Enter", "Escape"].includes(event.key)) { event.preventDefault(); title.focus(); } } });
  const buttons = new Map(KEYS.map(([word, key, name]) => [word, el("button", { type: "button", class: `verdict is-${word}`, "aria-keyshortcuts": key, "aria-pressed": "false", click: () => judge(word) }, name, " ", el("kbd", {}, key.toUpperCase()))]));
  const saving = el("p", { class: "saving", role: "status" });
  const keys = el("div", { class: "keys" },
    el("div", { class: "row", role: "group", "aria-label": "Does it belong to the category?" }, [...buttons.values()]),
    el("div", { class: "row small" },
      el("button", { type: "button", class: "plain", "aria-keyshortcuts": "z", click: undo }, "Undo ", el("kbd", {}, "Z")),
      el("button", { type: "button", class: "plain", "aria-keyshortcuts": "e", click: openNote }, "Note ", el("kbd", {}, "E")),
      el("button", { type: "button", class: "plain", "aria-keyshortcuts": "?", click: () => help.showModal() }, "Help ", el("kbd", {}, "?"))),
    note, saving);
  const help = helpDialog();
  const root = el("div", { class: "bench" }, head, queue, page, why, keys, help);
  fill(main, root);
  document.addEventListener("keydown", pressed);
  begin();

  async function begin() {
    await sendPending();
    await refresh();
    if (state) next();
  }

  // What there is to judge

  /** Ask for the queue again; the model learns while it is asked. What is being read stays. */
  async function refresh() {
    try {
      const found = await ask(address("api/workbench/state", about));
      state = found;
      drawSums();
      drawQueue();
    } catch (error) {
      complain(error);
    }
  }

  function next() {
    const coming = state.next.find(({ id }) => !judgedHere.has(id)) ?? state.queue.find(({ id }) => !judgedHere.has(id));
    if (coming) show(coming.id, coming);
    else done();
  }

  const isBlind = (id) => state.next.some((each) => each.id === id && each.chosen === "random");

  async function show(id, known) {
    shown = id;
    root.classList.remove("listing", "explaining");
    fill(title, known?.title ?? "…");
    fill(meta);
    fill(text, "…");
    note.hidden = true;
    note.value = "";
    press(null);
    drawCurrent();
    try {
      const found = await read(id);
      if (shown !== id) return;
      draw(found);
      shownAt = performance.now();
      say(found.title);
      for (const coming of state.next.slice(0, 4)) if (!judgedHere.has(coming.id)) read(coming.id).catch(() => {});
    } catch (error) {
      complain(error);
    }
  }

  function read(id) {
    if (!texts.has(id)) {
      const asked = ask(address("api/workbench/document", { ...about, id }));
      asked.catch(() => texts.delete(id));
      texts.set(id, asked);
      if (texts.size > 12) texts.delete(texts.keys().next().value);
    }
    return texts.get(id);
  }

  function draw(found) {
    const blind = isBlind(found.id);
    const own = state.verdicts[found.id];
    press(own?.verdict ?? null);
    fill(title, outside(found.address, found.title));
    const other = Object.entries(found.other).map(([name, value]) => `${name}: ${value}`).join(" · ");
    fill(meta,
      start.description && el("p", { class: "definition", dir: "auto" }, `${start.name}: ${start.description}`),
      found.labels.length > 0 && el("ul", { class: "chips", "aria-label": "Other categories" }, found.labels.map((label) => el("li", { dir: "auto" }, label))),
      other && el("p", { class: "meta", dir: "auto" }, other));
    const plain = found.text ?? "The corpus keeps no texts. Follow the link, or go by the title.";
    fill(text, blind ? plain : marked(plain, found));
    page.dataset.document = found.id;
    page.scrollTop = 0;
    fill(why, blind ? el("p", { class: "quiet" }, "Hidden during a random check, so that your verdict is your own.") : reasons(found));
    if (own && !judgedHere.has(found.id)) say(`You said ${own.verdict} before.`);
  }

  /** The text with the deciding words underlined. */
  function marked(plain, found) {
    const kinds = new Map([...found.for.map((each) => [each, "for"]), ...found.against.map((each) => [each, "against"])].filter(([each]) => each.group === "words").map(([each, kind]) => [each.name, kind]));
    const parts = [];
    let from = 0;
    for (const match of plain.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
      const kind = kinds.get(match[0].normalize("NFKC").toLowerCase());
      if (!kind) continue;
      parts.push(plain.slice(from, match.index), el("span", { class: kind }, match[0]));
      from = match.index + match[0].length;
    }
    return [...parts, plain.slice(from)];
  }

  function reasons(found) {
    const row = (each) => {
      const about = each.in_members === null ? "" : `in ${percent(each.in_members)} of the members, ${percent(each.in_others)} of the other documents`;
      const matters = `${each.adds > 0 ? "+" : "-"}${each.name}`;
      return el("li", { class: "word" },
        el("strong", { dir: "auto" }, each.group === "labels" ? `Category: ${each.name}` : each.name),
        each.group === "words" && start.can_learn_again && el("span", {},
          el("button", { type: "button", "aria-label": `“${each.name}” matters`, click: () => setWord(each.name, matters) }, "Matters"), " ",
          el("button", { type: "button", "aria-label": `Ignore “${each.name}”`, click: () => setWord(each.name, `${each.name}:0`) }, "Ignore")),
        about && el("span", { class: "quiet" }, about));
    };
    const part = (name, rows) => rows.length > 0 && [el("h3", {}, name), el("ul", {}, rows.map(row))];
    return [
      words !== start.words && el("div", { class: "card pending" }, el("p", {}, "Your words: ", el("strong", {}, words || "none")), el("button", { type: "button", class: "main", click: learnAgain }, "Learn again")),
      part("Speaks for it", found.for), part("Speaks against it", found.against),
      !found.for.length && !found.against.length && el("p", { class: "quiet" }, "No word of this document decides."),
      found.similar.length > 0 && el("h3", {}, "Members most like it"),
      found.similar.map((each) => el("div", { class: "card similar" }, el("strong", { dir: "auto" }, each.title), el("div", { class: "quiet", dir: "auto" }, `Both have: ${each.shared.join(", ")}`))),
    ];
  }

  function setWord(name, said) {
    const others = words.split(/\s+/).filter((each) => each && each.replace(/^[+-]/, "").replace(/:.*$/, "") !== name);
    words = [...others, said].join(" ");
    read(shown).then((found) => { fill(why, reasons(found)); why.scrollTop = 0; why.querySelector(".pending button")?.focus(); });
    say(`${said} is noted. “Learn again” uses it.`);
  }

  async function learnAgain() {
    try {
      await ask("api/workbench/words", { category, words });
      location.assign("library");
    } catch (error) {
      complain(error);
    }
  }

  function drawSums() {
    const { found, judged, missing, last, stop } = state.summary;
    const [expected, low, high] = missing.map(Math.round);
    fill(sums, el("strong", {}, `${count(found)} found`), ` · about ${count(expected)} (${count(low)}–${count(high)}) left`,
      judged > 0 && ` · ${last} of the last ${Math.min(judged, 20)} ${last === 1 ? "was" : "were"} yes`);
    finish.classList.toggle("main", stop.safe);
    const random = state.next.filter((each) => each.chosen === "random").length;
    fill(banner, random > 0 && el("p", { class: "banner" }, "Random check: these documents were drawn at random. Probabilities and reasons are hidden, so that your verdicts are a fair sample."));
  }

  function choose(name) {
    tab = name;
    for (const button of tabs) button.setAttribute("aria-pressed", String(button.dataset.tab === name));
    drawQueue();
  }

  async function drawQueue() {
    if (!state) return;
    const wanted = filter.value.trim().toLowerCase();
    const fits = ({ title: each }) => !wanted || each.toLowerCase().includes(wanted);
    const fresh = new Set(state.new);
    const isRandom = state.next.some((each) => each.chosen === "random");
    let rows;
    if (tab === "judged") {
      const { verdicts } = await ask(address("api/workbench/history", { category })).catch(() => ({ verdicts: [] }));
      if (tab !== "judged") return;
      rows = verdicts.filter(fits).slice(0, 300).map((each) => row(each.item, each.title, el("span", { class: `share said-${each.verdict}` }, each.verdict, each.reviewer === reviewer ? "" : ` (${each.reviewer})`)));
    } else {
      rows = state.queue.filter((each) => fits(each) && !judgedHere.has(each.id) && (tab !== "new" || fresh.has(each.id)))
        .map((each) => row(each.id, each.title, el("span", { class: "share" }, isRandom || each.probability === null ? "" : percent(each.probability)), fresh.has(each.id)));
    }
    const focused = list.contains(document.activeElement) ? document.activeElement.dataset.id : null;
    fill(list, rows.length ? rows : el("li", { class: "quiet" }, tab === "judged" ? "Nothing is judged yet." : tab === "new" ? "Nothing new since the last verdict." : "Nothing fits."));
    if (focused) [...list.querySelectorAll("button")].find((button) => button.dataset.id === focused)?.focus();
    fill(changes, fresh.size && tab !== "judged" ? `Learned from your verdicts: ${count(fresh.size)} new among the first 20.` : "");
    drawCurrent();
  }

  function row(id, name, share, isNew) {
    return el("li", {}, el("button", { type: "button", dataset: { id }, click: () => { show(id, { title: name }); title.focus(); } },
      el("span", { class: "name", dir: "auto" }, name), el("span", {}, share, isNew && el("span", { class: "is-new" }, " new"))));
  }

  function drawCurrent() {
    for (const button of list.querySelectorAll("button")) {
      if (button.dataset.id === shown) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }

  function press(word) {
    for (const [each, button] of buttons) button.setAttribute("aria-pressed", String(each === word));
  }

  // Verdicts

  async function judge(word) {
    if (isSaving || shown === null) return;
    const id = shown;
    const sent = { category, reviewer, id, verdict: word, identity: identity(), previous: state.verdicts[id]?.id ?? null, seconds: Math.min(3600, (performance.now() - shownAt) / 1000), note: note.value.trim() || null };
    if (!await store(sent)) return;
    state.verdicts[id] = { id: sent.identity, verdict: word };
    judgedHere.add(id);
    texts.delete(id);
    next();
    refresh().then(() => { if (word === "skip") judgedHere.delete(id); });
  }

  async function store(sent) {
    localStorage.setItem(pending + sent.identity, JSON.stringify(sent));
    isSaving = true;
    try {
      await send(sent);
      return true;
    } catch (error) {
      if (error.status === 409) {
        // Another window said something else: show it, and let the reviewer decide again.
        await refresh();
        press(state.verdicts[sent.id]?.verdict ?? null);
      }
      complain(error.status === 409 ? new Error(`${error.message[0].toUpperCase()}${error.message.slice(1)}. Judge it again to change that.`) : error);
      return false;
    } finally {
      isSaving = false;
    }
  }

  // Until the server has it: its identity stays the same, so that it is stored once however often it is sent.
  async function send(sent) {
    for (;;) {
      try {
        await ask("api/workbench/judge", sent);
        localStorage.removeItem(pending + sent.identity);
        fill(saving);
        allIsWell();
        return;
      } catch (error) {
        if (error.status >= 400 && error.status < 500) {
          localStorage.removeItem(pending + sent.identity);
          fill(saving);
          throw error;
        }
        fill(saving, "Not stored yet. Trying again…");
        await new Promise((resolve) => setTimeout(resolve, RETRY));
      }
    }
  }

  async function sendPending() {
    for (const key of Object.keys(localStorage).filter((each) => each.startsWith(pending))) {
      await send(JSON.parse(localStorage.getItem(key))).catch(() => localStorage.removeItem(key));
    }
  }

  async function undo() {
    if (isSaving) return;
    try {
      const { id } = await ask("api/workbench/undo", about);
      if (id === null) return say("There is nothing to undo.");
      judgedHere.delete(id);
      texts.delete(id);
      await refresh();
      await show(id, null);
      say("Undone.");
    } catch (error) {
      complain(error);
    }
    return undefined;
  }

  function openNote() {
    note.hidden = false;
    note.focus();
  }

  /** No document is shown any more, so that no key judges one. */
  function done() {
    shown = null;
    fill(title, "Every candidate is judged.");
    fill(meta, el("p", {}, el("a", { class: "button main", href: address("finish", { category }) }, "Finish")));
    fill(text);
    fill(why);
    title.focus();
  }

  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (event.target instanceof HTMLInputElement) return;
    const key = event.key.toLowerCase();
    const found = KEYS.find(([, each]) => each === key);
    const step = { pagedown: 0.9, pageup: -0.9, arrowdown: 0.15, arrowup: -0.15 }[key] ?? (key === " " && !(event.target instanceof HTMLButtonElement) && !(event.target instanceof HTMLAnchorElement) ? (event.shiftKey ? -0.9 : 0.9) : null);
    if (found && !event.repeat) judge(found[0]);
    else if (["z", "backspace"].includes(key) && !event.repeat) undo();
    else if (key === "e") openNote();
    else if (key === "/") filter.focus();
    else if (event.key === "?") help.showModal();
    else if (key === "j" || key === "k") move(key === "j" ? 1 : -1);
    else if (step !== null && !list.contains(event.target) && !why.contains(event.target)) page.scrollBy({ top: step * page.clientHeight });
    else return;
    event.preventDefault();
  }

  function move(by) {
    const all = [...list.querySelectorAll("button")];
    const at = all.findIndex((button) => button.dataset.id === shown);
    const there = all[at < 0 ? 0 : at + by];
    if (!there) return;
    there.scrollIntoView({ block: "nearest" });
    show(there.dataset.id, { title: there.querySelector(".name").textContent });
  }

  function helpDialog() {
    const name = el("input", { id: "reviewer", value: reviewer, maxlength: 100, autocomplete: "name" });
    const keysOf = [["Y  N  U  S", "Yes, No, Unsure, Skip. A skipped document comes back later."], ["Z", "Undo"], ["E", "Write a note"], ["J  K", "Next and previous in the queue"], ["Space  ↓  ↑", "Scroll the text"], ["/", "Filter the queue"], ["?", "This help"]];
    const box = el("dialog", { "aria-label": "Help" },
      el("h2", {}, "How it works"),
      el("p", {}, "Say whether each document belongs to the category. The ranking learns from every verdict, so the best candidates come first. Underlined words decided most: a full line speaks for the category, a dotted line against it."),
      el("dl", {}, keysOf.map(([keyName, what]) => [el("dt", {}, keyName.split("  ").flatMap((each) => [el("kbd", {}, each), " "])), el("dd", {}, what)])),
      el("form", { method: "dialog", submit: () => {
        const given = name.value.trim() || "me";
        if (given !== reviewer) {
          localStorage.setItem("priorwise-reviewer", given);
          location.assign(address("workbench", { category }));
        }
      } }, el("div", { class: "field" }, el("label", { for: "reviewer" }, "Your name"), name), el("button", { type: "submit", class: "main" }, "Close")));
    return box;
  }
}

/** A share in words that do not promise more than it does. */
function percent(share) {
  if (share > 0 && share < 0.01) return "under 1%";
  return share < 1 && share > 0.99 ? "over 99%" : `${Math.round(100 * share)}%`;
}

function identity() {
  if (crypto.randomUUID) return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
