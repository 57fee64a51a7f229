// A list of many rows of one height: only those in sight, and a few around them, are in the page.
import { el, fill } from "/static/base.js";

const AROUND = 12;

/** Make a list; `draw` makes the content of a row, which has an `id` and a `title`. */
export function longList(draw, name) {
  let rows = [];
  let total = 0;
  let more = null;
  let height = 0;
  let drawn = [0, 0];
  const asked = new Set();
  const node = el("ol", { "aria-label": name, class: "long", tabindex: "-1" });
  addEventListener("resize", () => render());

  /** Show rows; `all` of them there are, and `load(from)` fetches those that are not here yet. */
  function set(given, empty, all = given.length, load = null) {
    rows = [...given];
    total = all;
    more = load;
    asked.clear();
    if (!total) {
      node.style.padding = "";
      if (node.contains(document.activeElement)) node.focus({ preventScroll: true });
      fill(node, el("li", { class: "quiet" }, empty));
      drawn = [0, 0];
      return;
    }
    render(true);
  }

  function render(isNew = false) {
    if (!total) return;
    const box = node.parentElement;
    height ||= measured();
    const top = Math.max(0, box.scrollTop - node.offsetTop);
    const from = Math.max(0, Math.floor(top / height) - AROUND);
    const to = Math.min(total, Math.ceil((top + box.clientHeight) / height) + AROUND);
    if (!isNew && from === drawn[0] && to === drawn[1]) return;
    const focused = node.contains(document.activeElement) ? document.activeElement.dataset.id : null;
    const missing = [];
    const shown = [];
    for (let at = from; at < to; at += 1) {
      if (!rows[at]) missing.push(at);
      shown.push(el("li", { "aria-setsize": total, "aria-posinset": at + 1 }, rows[at] ? draw(rows[at]) : el("span", { class: "quiet" }, "…")));
    }
    // The room of the rows that are not drawn.
    node.style.padding = `${from * height}px 0 ${(total - to) * height}px`;
    fill(node, shown);
    drawn = [from, to];
    // The row may be gone, such as a document that was just judged: the list keeps the focus then.
    if (focused !== null) ([...node.querySelectorAll("button")].find((button) => button.dataset.id === focused) ?? node).focus({ preventScroll: true });
    if (missing.length && more) fetchFrom(missing[0]);
  }

  async function fetchFrom(at) {
    const from = Math.floor(at / 100) * 100;
    if (asked.has(from)) return;
    asked.add(from);
    const loader = more;
    const found = await loader(from).catch(() => []);
    if (more !== loader) return;
    const known = new Set(rows.filter(Boolean).map(({ id }) => id));
    found.forEach((each, index) => { if (!rows[from + index] && !known.has(each.id)) rows[from + index] = each; });
    render(true);
  }

  function measured() {
    const probe = el("li", {}, draw({ id: "", title: "x", share: "" }));
    fill(node, probe);
    const found = probe.getBoundingClientRect().height || 40;
    node.parentElement.addEventListener("scroll", () => requestAnimationFrame(() => render()), { passive: true });
    return found;
  }

  /** Return the row that is so many after the one with this id, and bring it into sight. */
  function step(id, by) {
    const at = rows.findIndex((each) => each?.id === id);
    const there = rows[at < 0 ? 0 : at + by];
    if (there) {
      const box = node.parentElement;
      const top = node.offsetTop + (at < 0 ? 0 : at + by) * height;
      if (top < box.scrollTop || top + height > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
      render();
    }
    return there;
  }

  return { node, set, step };
}
