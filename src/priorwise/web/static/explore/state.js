// What is looked at, as the address of the page says it: a setting can be kept, sent and opened again.
import { address, ask, query } from "/static/base.js";

const PASSED_ON = ["label", "documents", "held", "seed", "run"];

/** A number with as few digits as say it. */
export function short(number) {
  const size = Math.abs(number);
  const rounded = Number(number.toPrecision(4));
  return size > 0 && (size < 1e-3 || size >= 1e6) ? rounded.toExponential().replace("e+", "e") : String(rounded);
}

/** A decision line in words; with the log odds upright, as a height. */
export function written({ slope, shift }, upright = false) {
  const signed = (number) => (number === 0 ? "" : ` ${number < 0 ? "−" : "+"} ${Math.abs(number)}`);
  if (upright && slope === 1) return `log odds = ${String(shift === 0 ? 0 : -shift).replace("-", "−")}`;
  const tilt = slope === 1 ? "" : String(slope).replace("-", "−");
  return `y = ${tilt}x${signed(shift)}`;
}

/** What every request has to say: which documents. */
export function documentsQuery(label) {
  const given = Object.fromEntries(PASSED_ON.map((name) => [name, query.get(name)]));
  return { ...given, label };
}

export class State {
  constructor(facts) {
    this.facts = facts;
    this.families = new Map(facts.families.flatMap((family) => [family.name, ...family.also].map((name) => [name, family])));
    this.family = this.families.get(query.get("model")) ?? facts.families[0];
    this.keywords = this.family.keywords ? (query.get("keywords") ?? "").trim() : "";
    this.line = { slope: number(query.get("slope"), 1), shift: number(query.get("shift"), 0) };
    this.chosenUpright = query.get("axes") === "odds";
    this.target = facts.targets.includes(query.get("target")) ? query.get("target") : facts.targets[0];
    this.kept = (query.get("keep") ?? "").split(".").map((text) => this.parsed(text)).filter(Boolean);
  }

  /** Where the sliders of a family open: at the prior that it learns from the category. */
  async opening(family) {
    const { values } = await ask(address("api/explore/opening", { ...documentsQuery(this.facts.label), model: family.name }));
    return values;
  }

  /** Take the numbers of the address, and where it gives none, those where the sliders open. */
  async open() {
    const given = this.family.parameters.map((each) => number(query.get(each.name) ?? query.get(each.also), NaN));
    const fits = this.family.parameters.map((each, i) => given[i] >= each.least && given[i] <= each.most);
    const opening = fits.every(Boolean) ? given : await this.opening(this.family);
    this.values = given.map((value, i) => (fits[i] ? value : opening[i]));
    return this;
  }

  /** Whether the log odds are drawn upwards; some families have nothing else to draw. */
  get upright() {
    return this.family.up === null || this.chosenUpright;
  }

  /** A setting as a word, such as beta~0_1~0_3; with the slope and the shift of a line that was moved, and keywords. */
  static word({ family, values, line, keywords }) {
    const numbers = [...values.map(short), ...(line ? [line.slope, line.shift] : [])];
    const words = keywords ? [`w${encodeURIComponent(keywords).replaceAll(".", "%2E").replaceAll("~", "%7E")}`] : [];
    return [family.name, ...numbers.map((each) => String(each).replace(".", "_")), ...words].join("~");
  }

  parsed(word) {
    const [name, ...parts] = word.split("~");
    const texts = parts.filter((each) => !each.startsWith("w"));
    const keywords = decoded(parts.find((each) => each.startsWith("w"))?.slice(1) ?? "");
    const family = this.families.get(name);
    const numbers = texts.map((text) => Number(text.replace("_", ".")));
    const n = family?.parameters.length;
    const [values, [slope, shift]] = [numbers.slice(0, n), numbers.slice(n)];
    const fits = family && numbers.every(Number.isFinite) && [n, n + 2].includes(numbers.length)
      && family.parameters.every((each, i) => values[i] >= each.least && values[i] <= each.most);
    return fits ? { family, values, line: numbers.length > n ? { slope, shift } : null, keywords } : null;
  }

  /** What a request says of a prior. */
  settingQuery(family = this.family, values = this.values, keywords = this.keywords) {
    const numbers = family.parameters.map((each, i) => [each.name, values[i]]);
    return { ...documentsQuery(this.facts.label), model: family.name, ...Object.fromEntries(numbers), keywords: (family.keywords && keywords) || null };
  }

  get lineIsMoved() {
    return this.line.slope !== 1 || this.line.shift !== 0;
  }

  /** The address that brings all this back. */
  address({ family, values, line, keywords } = this) {
    const { slope, shift } = line ?? { slope: 1, shift: 0 };
    const numbers = Object.fromEntries(family.parameters.map((each, i) => [each.name, short(values[i])]));
    return address("explore", {
      ...documentsQuery(this.facts.label),
      model: family.name,
      ...numbers,
      keywords: keywords || null,
      slope: slope === 1 ? null : slope,
      shift: shift === 0 ? null : shift,
      axes: this.chosenUpright ? "odds" : null,
      target: this.target === this.facts.targets[0] ? null : this.target,
      keep: this.kept.map(State.word).join("."),
    });
  }

  remember() {
    history.replaceState(null, "", this.address());
  }
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

function number(text, otherwise) {
  const found = text === null || text.trim() === "" ? NaN : Number(text);
  return Number.isFinite(found) ? found : otherwise;
}
