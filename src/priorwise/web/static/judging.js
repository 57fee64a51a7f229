// One document at a time, judged with one key. The page moves on when the verdict is on the disk, not before.
import { allIsWell, ask, complain, el, fill, outside, say } from "/static/base.js";

export const KEYS = [["yes", "y", "Yes"], ["no", "n", "No"], ["unsure", "u", "Unsure"], ["skip", "s", "Skip"]];
const RETRY = 1000;
const KEPT = 12;
const LONG = 300;

/**
 * The document and the verdicts below it; the workbench and the blind evaluation put their own parts around them.
 *
 * pending  begins the names under which verdicts wait in this browser until the server has them
 * store    where verdicts go
 * body     (id, word, seconds) => what is sent, with its identity under `key`
 * key      the field of the identity
 * read     (id) => the address of a document
 * known    (id) => the reviewer's verdict so far, or undefined
 * draw     (found, parts) => the text to show; may fill the other parts
 * stored   (id, word, identity) => called when a verdict is on the disk
 * refused  (error, sent) => called when the server does not take it
 * undo     () => takes back the last verdict
 */
export function judging({ pending, store, body, key, read, known, draw, stored, refused, undo }) {
  const texts = new Map();
  let shown = null;
  let shownAt = 0;
  let isSaving = false;

  const title = el("h2", { dir: "auto", tabindex: "-1" });
  const whole = el("button", { type: "button", class: "link", hidden: true, click: () => { title.classList.remove("long"); whole.hidden = true; title.focus(); } }, "Whole title");
  const meta = el("div");
  const text = el("div", { class: "text", dir: "auto" });
  const page = el("article", { class: "document", tabindex: "0", "aria-label": "Document" }, title, el("div", {}, whole), meta, text);
  const buttons = new Map(KEYS.map(([word, letter, name]) => [word, el("button", { type: "button", class: `verdict is-${word}`, "aria-keyshortcuts": letter, "aria-pressed": "false", click: () => judge(word) }, name, " ", el("kbd", {}, letter.toUpperCase()))]));
  const saving = el("p", { class: "saving", role: "status" });
  const more = el("div", { class: "row small" }, el("button", { type: "button", class: "plain", "aria-keyshortcuts": "z", click: takeBack }, "Undo ", el("kbd", {}, "Z")));
  const bar = el("div", { class: "keys" }, el("div", { class: "row", role: "group", "aria-label": "Does it belong to the category?" }, [...buttons.values()]), more, saving);

  async function show(id, name) {
    shown = id;
    fill(title, name ?? "…");
    fill(meta);
    fill(text, "…");
    press(known(id)?.verdict);
    try {
      const found = await fetched(id);
      if (shown !== id) return;
      fill(title, outside(found.address, found.title));
      title.classList.toggle("long", found.title.length > LONG);
      whole.hidden = found.title.length <= LONG;
      fill(text, draw(found, { meta }) ?? found.text ?? "The corpus keeps no texts. Follow the link, or judge by the title.");
      page.dataset.document = id;
      page.scrollTop = 0;
      shownAt = performance.now();
      say(found.title);
    } catch (error) {
      complain(error);
    }
  }

  function fetched(id) {
    if (!texts.has(id)) {
      const asked = ask(read(id));
      asked.catch(() => texts.delete(id));
      texts.set(id, asked);
      if (texts.size > KEPT) texts.delete(texts.keys().next().value);
    }
    return texts.get(id);
  }

  function press(word) {
    for (const [each, button] of buttons) button.setAttribute("aria-pressed", String(each === word));
  }

  async function judge(word) {
    if (isSaving || shown === null) return;
    const id = shown;
    const made = await save(id, word);
    if (made) stored(id, word, made);
  }

  /** Store a verdict; a copy in this browser outlives a lost connection and a closed window. */
  async function save(id, word) {
    const sent = { ...body(id, word, Math.min(3600, (performance.now() - shownAt) / 1000)), [key]: identity() };
    localStorage.setItem(pending + sent[key], JSON.stringify(sent));
    isSaving = true;
    try {
      await send(sent);
      return sent[key];
    } catch (error) {
      await refused(error, sent);
      return null;
    } finally {
      isSaving = false;
    }
  }

  // Until the server has it: its identity stays the same, so that it is stored once however often it is sent.
  async function send(sent) {
    for (;;) {
      try {
        await ask(store, sent);
        localStorage.removeItem(pending + sent[key]);
        fill(saving);
        allIsWell();
        return;
      } catch (error) {
        if (error.status >= 400 && error.status < 500) {
          localStorage.removeItem(pending + sent[key]);
          fill(saving);
          throw error;
        }
        fill(saving, "Not stored yet. Trying again…");
        await new Promise((resolve) => setTimeout(resolve, RETRY));
      }
    }
  }

  /** Send what waits in this browser from an earlier visit. */
  async function sendPending() {
    for (const name of Object.keys(localStorage).filter((each) => each.startsWith(pending))) {
      await send(JSON.parse(localStorage.getItem(name))).catch(() => localStorage.removeItem(name));
    }
  }

  async function takeBack() {
    if (!isSaving) await undo();
  }

  /** No document is shown any more, so that no key judges one. */
  function end(heading, ...children) {
    shown = null;
    fill(title, heading);
    title.classList.remove("long");
    whole.hidden = true;
    fill(meta);
    fill(text, children);
    press(null);
    title.focus();
  }

  /** Do what a key asks for; false if it is none of ours. */
  function pressed(event) {
    const letter = event.key.toLowerCase();
    const found = KEYS.find(([, each]) => each === letter);
    const step = { pagedown: 0.9, pageup: -0.9, arrowdown: 0.15, arrowup: -0.15 }[letter] ?? (letter === " " && !(event.target instanceof HTMLButtonElement) && !(event.target instanceof HTMLAnchorElement) ? (event.shiftKey ? -0.9 : 0.9) : null);
    if (found) !event.repeat && judge(found[0]);
    else if (["z", "backspace"].includes(letter)) !event.repeat && takeBack();
    else if (step !== null && (page.contains(event.target) || event.target === document.body || bar.contains(event.target))) page.scrollBy({ top: step * page.clientHeight });
    else return false;
    return true;
  }

  return { page, bar, more, title, show, press, save, sendPending, end, pressed, fetched, forget: (id) => texts.delete(id), get shown() { return shown; } };
}

function identity() {
  if (crypto.randomUUID) return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
