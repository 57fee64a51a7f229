// Judge with one key. The page moves on when the verdict is on the disk, not before.
import { address, allIsWell, ask, complain, counted, el, fill, outside, say } from "/static/base.js";

const KEYS = [["yes", "y", "Yes"], ["no", "n", "No"], ["unsure", "u", "Unsure"], ["skip", "s", "Skip"]];
const RETRY = 1000;

export async function judging(main, start, reviewer) {
  // One for each verdict under way: another tab may have one, too.
  const pending = `priorwise-pending ${start.run} ${reviewer} `;
  const texts = new Map();
  const verdicts = new Map();
  const done = [];
  const index = new Map(start.items.map(({ id }, at) => [id, at]));
  let place = 0;
  let isSaving = false;
  let isShown = false;
  let shownAt = performance.now();
  const begun = performance.now();
  let here = 0;

  const queue = { run: start.run };

  const title = el("h2", { tabindex: "-1" });
  const text = el("div", { class: "text", tabindex: "0", role: "region", "aria-label": "Text" });
  const state = el("p", { class: "saving", role: "status" });
  const bar = el("progress", { max: start.items.length || 1, value: 0, "aria-label": "Judged" });
  const counts = el("span");
  const pace = el("span");
  const buttons = new Map(KEYS.map(([word, key, name]) => [word,
    el("button", { type: "button", "aria-keyshortcuts": key, click: () => judge(word) }, name, " ", el("kbd", {}, key.toUpperCase()))]));
  const back = el("button", { type: "button", "aria-keyshortcuts": "z", click: undo }, "Undo ", el("kbd", {}, "Z"));

  fill(main, el("div", { class: "review" },
    el("p", { class: "question" }, start.label === null ? "Does it belong to the list?" : `Does it belong to “${start.label}”?`,
      el("span", { class: "quiet" }, ` ${reviewer}`)),
    el("article", { class: "document card" }, title, text),
    el("div", { class: "keys", role: "group", "aria-label": "Verdict" }, [...buttons.values()], back),
    state, bar, el("div", { class: "progress" }, counts, pace),
    el("p", {}, el("a", { href: address("review", { run: start.run, results: 1 }) }, "Results"))));

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target instanceof HTMLInputElement) return;
    const found = KEYS.find(([, key]) => key === event.key.toLowerCase());
    if (found) judge(found[0]);
    else if (["z", "backspace"].includes(event.key.toLowerCase())) undo();
    else if (event.key === "ArrowLeft" && !isShown && start.items.length) show(place);
    else if (event.key === "ArrowLeft" && place > 0) show(place - 1);
    else if (event.key === "ArrowRight" && place < start.items.length - 1) show(place + 1);
    else return;
    event.preventDefault();
  });

  try {
    await sendPending();
    const own = await ask(address("api/review/own", { ...queue, reviewer }));
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
    isShown = true;
    const item = start.items[at];
    const current = verdicts.get(item.id)?.verdict;
    for (const [word, button] of buttons) button.setAttribute("aria-pressed", String(word === current));
    fill(title, item.title);
    fill(text, "…");
    showProgress();
    try {
      const document = await read(item.id);
      if (place !== at || !isShown) return;
      fill(title, outside(document.address, document.title));
      fill(text, document.text ?? "The corpus keeps no texts; follow the link, or go by the title.");
      text.scrollTop = 0;
      shownAt = performance.now();
      say(document.title);
      for (const coming of start.items.slice(at + 1, at + 4)) read(coming.id).catch(() => {});
    } catch (error) {
      complain(error);
    }
  }

  function read(id) {
    if (!texts.has(id)) {
      const asked = ask(address("api/review/document", { ...queue, id }));
      asked.catch(() => texts.delete(id));
      texts.set(id, asked);
      if (texts.size > 50) texts.delete(texts.keys().next().value);
    }
    return texts.get(id);
  }

  async function judge(word) {
    if (isSaving || !isShown) return;
    const item = start.items[place].id;
    const before = verdicts.get(item);
    if (!await store(item, word)) return;
    if (!before) here += 1;
    done.push({ item, before });
    next(place + 1);
  }

  async function undo() {
    if (isSaving || !done.length) return;
    const { item, before } = done[done.length - 1];
    if (!await store(item, before?.verdict ?? "withdrawn")) return;
    done.pop();
    show(index.get(item));
    say("Undone.");
  }

  async function store(item, verdict) {
    const seconds = Math.min(3600, (performance.now() - shownAt) / 1000);
    const sent = { run: start.run, reviewer, id: identity(), item, verdict, seconds };
    const previous = verdicts.get(item)?.id;
    if (previous) sent.previous = previous;
    localStorage.setItem(pending + sent.id, JSON.stringify(sent));
    isSaving = true;
    try {
      await send(sent);
      if (verdict === "withdrawn") verdicts.delete(item);
      else verdicts.set(item, { id: sent.id, verdict });
      return true;
    } catch (error) {
      complain(error);
      return false;
    } finally {
      isSaving = false;
    }
  }

  // Until the server has it: its identity stays the same, so that it is stored once however often it is sent.
  async function send(sent) {
    for (;;) {
      try {
        await ask("api/review/verdict", sent);
        localStorage.removeItem(pending + sent.id);
        fill(state);
        allIsWell();
        return;
      } catch (error) {
        if (error.status >= 400 && error.status < 500) {
          localStorage.removeItem(pending + sent.id);
          fill(state);
          throw error;
        }
        fill(state, `Not stored yet: ${error.message} Trying again…`);
        await new Promise((resolve) => setTimeout(resolve, RETRY));
      }
    }
  }

  async function sendPending() {
    for (const key of Object.keys(localStorage).filter((each) => each.startsWith(pending))) {
      try {
        await send(JSON.parse(localStorage.getItem(key)));
      } catch {
        localStorage.removeItem(key);
      }
    }
  }

  function showProgress() {
    const n = start.items.length;
    bar.value = verdicts.size;
    fill(counts, `${verdicts.size} of ${counted(n, "document")} judged`);
    const minutes = (performance.now() - begun) / 60000;
    const perMinute = here / minutes;
    fill(pace, here >= 3 ? `${perMinute.toFixed(1)} a minute, ${counted(Math.ceil((n - verdicts.size) / perMinute), "minute")} left` : "");
  }

  /** No document is shown any more, so that no key judges one. */
  function finished() {
    isShown = false;
    showProgress();
    const agreement = el("ul");
    fill(title, "All judged. Thank you.");
    fill(text, agreement, el("p", {}, el("a", { href: address("review", { run: start.run, results: 1 }) }, "See the results")));
    for (const button of buttons.values()) button.setAttribute("aria-pressed", "false");
    title.focus();
    say("All documents are judged.");
    showAgreement(agreement);
  }

  async function showAgreement(list) {
    try {
      const { agreement } = await ask(address("api/review/results", { run: start.run }));
      const own = agreement.filter(({ first, second }) => [first, second].includes(reviewer));
      fill(list, own.map(({ first, second, agreed, documents, kappa }) => el("li", {},
        `You and ${first === reviewer ? second : first}: the same on ${(100 * agreed).toFixed(0)}% of ${counted(documents, "document")}`,
        kappa === null ? "" : `, Cohen’s κ ${kappa.toFixed(2).replace("-", "−")}`)));
    } catch (error) {
      complain(error);
    }
  }
}

function identity() {
  if (crypto.randomUUID) return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
