// Judge one document after the other. The ranking learns meanwhile, and never moves what is being read.
import { address, ask, complain, count, counted, el, fill, later, nothingHere, percent, query, say } from "/static/base.js";
import { judging } from "/static/judging.js";
import { longList } from "/static/workbench/long_list.js";

const main = document.getElementById("main");
const category = query.get("category");
const given = query.get("reviewer") || localStorage.getItem("priorwise-reviewer") || "me";

const start = await ask(address("api/workbench/start", { category, reviewer: given })).catch((error) => nothingHere("This category cannot be opened", error));
if (start) bench();

function bench() {
  document.title = `${start.name} · priorwise`;
  const { reviewer } = start;
  const about = { category: start.key, reviewer };
  let state = null;
  let words = start.words;
  let tab = "queue";
  const judgedHere = new Set();
  const part = judging({
    pending: `priorwise-pending ${location.pathname} ${start.run} ${reviewer} `,
    store: "api/workbench/judge",
    key: "identity",
    body: (id, verdict, seconds) => ({ ...about, id, verdict, previous: state.verdicts[id]?.id ?? null, seconds, note: note.value.trim() || null }),
    read: (id) => address("api/workbench/document", { ...about, id }),
    known: (id) => state.verdicts[id],
    draw, stored, refused, undo,
  });

  // Above
  const sums = el("div", { class: "sums", role: "status" }, "Learning from the members…");
  const banner = el("div");
  const finish = el("a", { class: "button", href: address("finish", { category: start.key }) }, "Finish");
  // Where there is no room for three columns, the other two come one at a time.
  const panes = [["listing", "Queue", "list"], ["explaining", "Why", ""]].map(([name, text, kind]) => el("button", { type: "button", class: `show ${kind}`, "aria-pressed": "false", dataset: { pane: name }, click: () => pane(root.classList.contains(name) ? null : name) }, text));
  const pane = (wanted) => {
    for (const button of panes) {
      root.classList.toggle(button.dataset.pane, button.dataset.pane === wanted);
      button.setAttribute("aria-pressed", String(button.dataset.pane === wanted));
    }
  };
  const head = el("div", { class: "status" },
    el("h1", { dir: "auto" }, start.name), sums,
    panes,
    start.is_guest ? el("span", { class: "quiet" }, reviewer) : el("span", { class: "row" }, el("a", { class: "button", href: address("together", { category: start.key }) }, "Together"), finish), banner);

  // Left
  const filter = el("input", { type: "search", "aria-label": "Filter the queue by a title or words", placeholder: "Filter by title or words", input: later(150, drawQueue) });
  const tabs = [["queue", "Candidates"], ["new", "New"], ["judged", "Judged"]].map(([name, text]) => el("button", { type: "button", "aria-pressed": String(name === tab), dataset: { tab: name }, click: () => choose(name) }, text));
  const changes = el("p", { class: "quiet", role: "status" });
  const list = longList(row, "Documents");
  const queue = el("nav", { class: "queue", "aria-label": "Queue" }, filter, el("div", { class: "tabs" }, tabs), changes, list.node);

  // Right
  const why = el("aside", { class: "why", "aria-label": "Why", tabindex: "0" });

  // Below
  const note = el("input", { hidden: true, maxlength: 2000, "aria-label": "Note on this document", placeholder: "Note: kept with your verdict", keydown: (event) => { if (["Enter", "Escape"].includes(event.key)) { event.preventDefault(); part.title.focus(); } } });
  part.more.append(
    el("button", { type: "button", class: "plain", "aria-keyshortcuts": "e", click: openNote }, "Note ", el("kbd", {}, "E")),
    el("button", { type: "button", class: "plain", "aria-keyshortcuts": "?", click: () => help.showModal() }, "Help ", el("kbd", {}, "?")));
  part.bar.append(note);
  const help = helpDialog();
  const root = el("div", { class: "bench" }, head, queue, part.page, why, part.bar, help);
  fill(main, root);
  document.addEventListener("keydown", pressed);
  begin();

  async function begin() {
    await part.sendPending();
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
    pane(null);
    note.hidden = true;
    note.value = "";
    const drawn = part.show(id, known?.title);
    drawCurrent();
    await drawn;
    for (const coming of state.next.slice(0, 4)) if (!judgedHere.has(coming.id)) part.fetched(coming.id).catch(() => {});
  }

  /** Fill what is around a document; return its text. */
  function draw(found, { meta }) {
    const blind = isBlind(found.id);
    const own = state.verdicts[found.id];
    const other = Object.entries(found.other).map(([name, value]) => `${name}: ${value}`).join(" · ");
    fill(meta,
      start.description && el("p", { class: "definition", dir: "auto" }, `${start.name}: ${start.description}`),
      found.labels.length > 0 && el("ul", { class: "chips", "aria-label": "Other categories" }, found.labels.map((label) => el("li", { dir: "auto" }, label))),
      other && el("p", { class: "meta", dir: "auto" }, other));
    if (why.contains(document.activeElement)) why.focus({ preventScroll: true });
    fill(why, blind ? el("p", { class: "quiet" }, "Hidden during a random check, so that your verdict is your own.") : reasons(found));
    if (found.own?.note) {
      note.value = found.own.note;
      note.hidden = false;
    }
    if (own && !judgedHere.has(found.id)) say(`You said ${own.verdict} before.`);
    return found.text === null ? null : blind ? found.text : marked(found.text, found);
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
      const about = each.in_members === null ? "" : `${percent(each.in_members)} of members, ${percent(each.in_others)} of other documents`;
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
      (words || start.words) && el("div", { class: "card pending" }, el("h3", {}, "Your words"),
        el("ul", { class: "chips" }, items(words).map((each) => el("li", { dir: "auto" }, spoken(each), " ", el("button", { type: "button", class: "plain", "aria-label": `Remove “${spoken(each)}”`, click: () => setWord(bare(each), "") }, "×")))),
        words !== start.words && el("button", { type: "button", class: "main", click: learnAgain }, "Learn again")),
      part("Counts for it", found.for), part("Counts against it", found.against),
      !found.for.length && !found.against.length && el("p", { class: "quiet" }, "No single word decides here."),
      found.similar.length > 0 && el("h3", {}, "Members most like it"),
      found.similar.map((each) => el("div", { class: "card similar" }, el("strong", { dir: "auto" }, each.title), el("div", { class: "quiet", dir: "auto" }, `Both have: ${each.shared.join(", ")}`))),
    ];
  }

  const items = (text) => text.match(/(?:"[^"]*"?|[^\s,"])+/g) ?? [];
  const bare = (word) => word.replace(/^[+-]/, "").replace(/:[^:]*$/, "").replaceAll('"', "");
  const spoken = (word) => (word.endsWith(":0") ? `${bare(word)}: ignored` : word.replace(/^-/, "−"));

  /** Say what a word counts; without a second argument, what the model learns by itself. */
  function setWord(name, said) {
    words = [...items(words).filter((each) => bare(each) !== name), said].filter(Boolean).join(" ");
    part.fetched(part.shown).then((found) => { fill(why, reasons(found)); why.scrollTop = 0; (why.querySelector(".pending .main") ?? why).focus(); });
    say(words === start.words ? "The ranking has learned these words already." : "Noted. “Learn again” uses it.");
  }

  async function learnAgain() {
    try {
      await ask("api/workbench/words", { ...about, words });
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
    const wanted = filter.value.trim();
    const fresh = new Set(state.new);
    const isRandom = state.next.some((each) => each.chosen === "random");
    const asRow = (each) => ({ ...each, share: isRandom || each.probability === null ? "" : percent(each.probability), isNew: fresh.has(each.id) });
    const page = (offset) => ask(address("api/workbench/queue", { ...about, offset, q: wanted }));
    const open = (rows) => rows.filter((each) => !judgedHere.has(each.id));
    fill(changes, fresh.size && tab !== "judged" ? `Learned from your verdicts: ${count(fresh.size)} new among the first 20.` : "");
    try {
      if (tab === "judged") {
        const { verdicts } = await ask(address("api/workbench/history", about));
        const fits = verdicts.filter((each) => each.title.toLowerCase().includes(wanted.toLowerCase()));
        if (tab === "judged") list.set(fits.map((each) => ({ id: each.item, title: each.title, share: each.reviewer === reviewer ? each.verdict : `${each.verdict} (${each.reviewer})`, kind: `said-${each.verdict}` })), "You have not judged any document yet.");
      } else if (tab === "new") {
        list.set(open(state.queue.filter((each) => fresh.has(each.id) && each.title.toLowerCase().includes(wanted.toLowerCase()))).map(asRow), "The last verdict brought no new candidates.");
      } else if (wanted) {
        const { rows, total } = await page(0);
        if (filter.value.trim() === wanted) list.set(open(rows).map(asRow), "No candidate has these words.", total - (rows.length - open(rows).length), async (offset) => (await page(offset)).rows.map(asRow));
      } else {
        const rows = open(state.queue);
        list.set(rows.map(asRow), "The queue is empty.", Math.max(rows.length, state.total - (state.queue.length - rows.length)), async (offset) => (await page(offset)).rows.map(asRow));
      }
    } catch (error) {
      complain(error);
    }
    drawCurrent();
  }

  function row(each) {
    return el("button", { type: "button", dataset: { id: each.id }, "aria-current": each.id === part.shown ? "true" : null, click: () => { show(each.id, each); part.title.focus(); } },
      el("span", { class: "name", dir: "auto" }, each.title), el("span", { class: `share ${each.kind ?? ""}` }, each.share, each.isNew && el("span", { class: "is-new" }, " new")));
  }

  function drawCurrent() {
    for (const button of list.node.querySelectorAll("button")) {
      if (button.dataset.id === part.shown) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }

  // Verdicts

  function stored(id, word, identity) {
    state.verdicts[id] = { id: identity, verdict: word };
    judgedHere.add(id);
    part.forget(id);
    next();
    refresh().then(() => { if (word === "skip") judgedHere.delete(id); });
  }

  async function refused(error, sent) {
    if (error.status !== 409) return complain(error);
    // Another window said something else: show it, and let the reviewer decide again.
    await refresh();
    part.press(state.verdicts[sent.id]?.verdict);
    return complain(new Error(`${error.message[0].toUpperCase()}${error.message.slice(1)}. Judge it again to change that.`));
  }

  async function undo() {
    try {
      const { id } = await ask("api/workbench/undo", about);
      if (id === null) return say("There is nothing to undo.");
      judgedHere.delete(id);
      part.forget(id);
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

  function done() {
    pane(null);
    const left = start.is_guest ? "You have judged all documents that were assigned to you. Thank you." : "Every candidate is judged.";
    part.end(left, !start.is_guest && el("p", {}, el("a", { class: "button main", href: address("finish", { category: start.key }) }, "Finish")));
    fill(why);
  }

  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open || event.target instanceof HTMLInputElement) return;
    const key = event.key.toLowerCase();
    if (key === "e") openNote();
    else if (key === "/") filter.focus();
    else if (event.key === "?") help.showModal();
    else if (key === "j" || key === "k") move(key === "j" ? 1 : -1);
    else if (!part.pressed(event)) return;
    event.preventDefault();
  }

  function move(by) {
    const there = list.step(part.shown, by);
    if (there) show(there.id, there);
  }

  function helpDialog() {
    const name = el("input", { id: "reviewer", value: reviewer, maxlength: 100, autocomplete: "name" });
    const keysOf = [["Y  N  U  S", "Yes, No, Unsure, Skip. A skipped document comes back later."], ["Z", "Undo"], ["E", "Write a note"], ["J  K", "Next and previous in the queue"], ["Space  ↓  ↑", "Scroll the text"], ["/", "Filter the queue"], ["?", "This help"]];
    const box = el("dialog", { "aria-label": "Help" },
      el("h2", {}, "How it works"),
      el("p", {}, "Say whether each document belongs to the category. The ranking learns from every verdict, so the best candidates always come first. Underlined words decided most: a solid line counts for the category, a dotted line against it."),
      el("dl", {}, keysOf.map(([keyName, what]) => [el("dt", {}, keyName.split("  ").flatMap((each) => [el("kbd", {}, each), " "])), el("dd", {}, what)])),
      el("form", { method: "dialog", submit: () => {
        const given = name.value.trim() || "me";
        if (given !== reviewer && !start.is_guest) {
          localStorage.setItem("priorwise-reviewer", given);
          location.assign(address("workbench", { category: start.key }));
        }
      } }, !start.is_guest && el("div", { class: "field" }, el("label", { for: "reviewer" }, "Your name"), name), el("button", { type: "submit", class: "main" }, "Close")));
    return box;
  }
}
