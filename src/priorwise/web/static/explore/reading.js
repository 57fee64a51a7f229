// A document: a glance at it beside its point, and its text with the evidence marked.
import { address, ask, complain, el, fill, outside, say } from "/static/base.js";

const FAINTEST = 0.1;

const signed = (number) => `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(2)}`;

function kind({ member, held_out: heldOut }) {
  return `${member ? "member" : "not a member"}, ${heldOut ? "held out" : "training"}`;
}

/** A small card that follows the pointer. */
export class Glance {
  constructor(state) {
    this.state = state;
    this.node = el("div", { class: "glance card", hidden: true });
    this.known = new Map();
    this.wanted = null;
  }

  /** The prior has changed: what tokens say has, too. */
  forget() {
    this.known.clear();
  }

  async show(i, where) {
    this.wanted = i;
    if (i === null || i < 0 || !where) {
      this.node.hidden = true;
      return;
    }
    if (!this.known.has(i)) {
      const asked = ask(address("api/explore/document", { ...this.state.settingQuery(), point: i, brief: "yes" }));
      this.known.set(i, asked);
      asked.catch(() => this.known.delete(i));
    }
    const found = await this.known.get(i).catch(() => null);
    if (!found || this.wanted !== i) return;
    fill(this.node, el("strong", {}, found.title), el("p", { class: "quiet" }, kind(found)),
      el("ul", {}, found.evidence.map(({ token, weight }) => el("li", { class: weight > 0 ? "for" : "against" }, `${token} ${signed(weight)}`))));
    this.node.hidden = false;
    const [x, y] = where;
    const { offsetWidth: width, offsetHeight: height } = this.node;
    this.node.style.left = `${Math.max(4, x + 16 + width > innerWidth ? x - width - 12 : x + 16)}px`;
    this.node.style.top = `${Math.max(4, Math.min(y + 12, innerHeight - height - 4))}px`;
    say(`${found.title}, ${kind(found)}`);
  }
}

/** A text in pieces, those that say something marked, the strongest most. */
function marked(pieces) {
  const most = Math.max(1e-9, ...pieces.map(([, weight]) => Math.abs(weight)));
  return pieces.map(([piece, weight]) => {
    const strength = Math.abs(weight) / most;
    if (strength < FAINTEST) return piece;
    const node = el("mark", { class: weight > 0 ? "for" : "against", title: signed(weight) }, piece);
    node.style.setProperty("--strength", `${Math.round(12 + 30 * strength)}%`);
    return node;
  });
}

function evidenceTable(evidence) {
  const side = (title, some) => el("table", {},
    el("caption", {}, title),
    el("tbody", {}, some.map(({ token, count, weight }) => el("tr", {},
      el("td", {}, token, count > 1 ? el("span", { class: "quiet" }, ` ×${count}`) : null),
      el("td", { class: "number" }, signed(weight))))));
  return el("div", { class: "evidence", tabindex: 0, role: "region", "aria-label": "Evidence" },
    side("Counts for it", evidence.filter(({ weight }) => weight > 0)),
    side("Counts against it", evidence.filter(({ weight }) => weight < 0)));
}

/** Open a document over the page. */
export class Reader {
  constructor(state) {
    this.state = state;
    this.node = el("dialog", { class: "reader", "aria-labelledby": "reader-title", click: (event) => { if (event.target === this.node) this.node.close(); } });
  }

  async open(i, odds) {
    try {
      const found = await ask(address("api/explore/document", { ...this.state.settingQuery(), point: i }));
      fill(this.node,
        el("header", {},
          el("h2", { id: "reader-title" }, outside(found.address, found.title)),
          el("button", { type: "button", class: "plain", "aria-label": "Close", click: () => this.node.close() }, "✕")),
        el("p", { class: "quiet" }, `${kind(found)}; log odds ${signed(odds)}; ${found.distinct} known tokens`),
        el("div", { class: "columns" },
          el("div", { class: "text", tabindex: 0, role: "region", "aria-label": "Text" },
            found.pieces ? marked(found.pieces) : el("p", { class: "quiet" }, "This corpus keeps no texts; these are its tokens.")),
          evidenceTable(found.evidence)));
      this.node.showModal();
    } catch (error) {
      complain(error);
    }
  }
}
