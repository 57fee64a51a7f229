// Every setting that was tried: to keep, to compare, to export, to open again.
import { el, fill } from "/static/base.js";
import { State, short, written } from "./state.js";

const MOST = 100;
const PARTS = ["training", "left_out", "held_out"];
const MEASURES = ["f1", "precision", "recall", "ppv", "tp", "fp", "fn", "tn"];

export class Trials {
  /** `chosen` gets the row that is opened. */
  constructor(state, chosen) {
    this.state = state;
    this.chosen = chosen;
    this.rows = [];
    this.reference = null;
    this.body = el("tbody");
    const head = (name, title) => el("th", { scope: "col", class: "number", title }, name);
    this.node = el("section", { class: "card trials", "aria-labelledby": "trials-title" },
      el("header", { class: "row" }, el("h2", { id: "trials-title" }, "Trials"),
        el("button", { type: "button", click: () => this.forget() }, "Clear unkept"),
        el("button", { type: "button", click: () => this.save() }, "Export CSV")),
      el("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": "Settings that were tried" }, el("table", {},
        el("thead", {}, el("tr", {},
          el("th", { scope: "col" }, "Keep"), el("th", { scope: "col", title: "Show how much better or worse the other rows are" }, "Compare"),
          el("th", { scope: "col" }, "Prior"),
          head("F1 training", "On documents that the model was trained on"), head("F1 left out", "Judged by models that did not know them"),
          head("F1 held out", "On documents that no model was trained on"), head("Precision", "Held out"), head("Recall", "Held out"), head("PPV", "Held out, at the corpus's own odds"))),
        this.body)));
  }

  /** Write down what came of a setting; one that is there already moves to the top. */
  add({ family, values, line, keywords }, measures) {
    const word = State.word({ family, values, line, keywords });
    const before = this.rows.find((row) => row.word === word);
    const isKept = before?.isKept ?? this.state.kept.some((each) => State.word(each) === word);
    this.rows = [{ word, family, values, measures, line, keywords, isKept }, ...this.rows.filter((row) => row !== before)];
    if (this.reference === before && before) this.reference = this.rows[0];
    while (this.rows.length > MOST && this.rows.some((row) => !row.isKept)) {
      this.rows.splice(this.rows.findLastIndex((row) => !row.isKept), 1);
    }
    this.show();
  }

  name({ family, values, line, keywords }) {
    const numbers = family.parameters.map((each, i) => `${each.symbol}\u00a0${short(values[i])}`).join(", ");
    return `${family.title}: ${numbers}${keywords ? `; ${keywords}` : ""}${line ? `; ${written(line)}` : ""}`;
  }

  show() {
    fill(this.body, this.rows.map((row) => this.line(row)));
  }

  line(row) {
    const title = this.name(row);
    const number = (part, measure) => {
      const value = row.measures[part]?.[measure];
      const other = this.reference && this.reference !== row ? this.reference.measures[part]?.[measure] : undefined;
      const shown = value === undefined ? "–" : value.toFixed(3);
      if (value === undefined || other === undefined) return el("td", { class: "number" }, shown);
      const more = value - other;
      return el("td", { class: "number" }, shown, el("small", { class: more >= 0 ? "better" : "worse" }, ` ${more < 0 ? "−" : "+"}${Math.abs(more).toFixed(3)}`));
    };
    return el("tr", { dataset: { word: row.word }, class: row === this.reference ? "reference" : null },
      el("td", {}, el("input", { type: "checkbox", checked: row.isKept, "aria-label": `Keep ${title}`, change: (event) => this.keep(row, event.target.checked) })),
      el("td", {}, el("input", { type: "radio", name: "reference", checked: row === this.reference, "aria-label": `Compare with ${title}`, change: () => { this.reference = row; this.show(); } })),
      el("td", {}, el("a", { href: this.state.address(row), click: (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        this.chosen(row);
      } }, title)),
      number("training", "f1"), number("left_out", "f1"), number("held_out", "f1"),
      number("held_out", "precision"), number("held_out", "recall"), number("held_out", "ppv"));
  }

  keep(row, isKept) {
    row.isKept = isKept;
    this.state.kept = this.rows.filter((each) => each.isKept).map(({ family, values, line, keywords }) => ({ family, values, line, keywords }));
    this.state.remember();
  }

  forget() {
    this.rows = this.rows.filter((row) => row.isKept || row === this.reference);
    this.show();
  }

  csv() {
    const cell = (value) => {
      // A spreadsheet would take a text that begins so for a formula.
      const text = typeof value === "string" && /^[=+@\t\r-]/.test(value) ? `'${value}` : String(value);
      return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const head = ["label", "model", "prior", "slope", "shift", "kept", ...PARTS.flatMap((part) => MEASURES.map((each) => `${part}_${each}`))];
    const lines = this.rows.map((row) => [
      this.state.facts.label, row.family.name, row.measures.prior, row.line?.slope ?? 1, row.line?.shift ?? 0, row.isKept,
      ...PARTS.flatMap((part) => MEASURES.map((each) => row.measures[part]?.[each] ?? "")),
    ]);
    return [head, ...lines].map((line) => line.map(cell).join(",")).join("\n") + "\n";
  }

  save() {
    const link = el("a", { href: URL.createObjectURL(new Blob([this.csv()], { type: "text/csv" })), download: "trials.csv" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
}
