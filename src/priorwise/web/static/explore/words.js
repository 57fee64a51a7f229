// The words, and other categories, whose weight changed most since the sliders opened.
import { address, ask, complain, el, fill } from "/static/base.js";

const signed = (number) => `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(2)}`;

export class Words {
  constructor(state) {
    this.state = state;
    this.body = el("tbody");
    this.note = el("p", { class: "quiet" });
    this.table = el("table", {},
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Word"),
        ["Before", "Now", "Change"].map((name) => el("th", { scope: "col", class: "number" }, name)))), this.body);
    this.node = el("section", { class: "words", "aria-labelledby": "words-title" },
      el("h2", { id: "words-title" }, "Words that moved"), this.note,
      el("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": "Weights before and now" }, this.table));
    this.isBusy = false;
    this.isWanted = false;
  }

  /** Ask again; one request at a time, and the last one counts. */
  async want() {
    this.isWanted = true;
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.isWanted) {
      this.isWanted = false;
      try {
        this.show((await ask(address("api/explore/words", this.state.settingQuery()))).words);
      } catch (error) {
        complain(error);
      }
    }
    this.isBusy = false;
  }

  show(words) {
    fill(this.note, words.length
      ? "What each adds to a document's log odds, where the sliders opened and now."
      : "Move a slider to see which words change their weight.");
    this.table.hidden = !words.length;
    fill(this.body, words.map(({ word, before, now }) => el("tr", {},
      el("td", {}, word), el("td", { class: "number" }, signed(before)), el("td", { class: "number" }, signed(now)),
      el("td", { class: `number ${now > before ? "for" : "against"}` }, signed(now - before)))));
  }
}
