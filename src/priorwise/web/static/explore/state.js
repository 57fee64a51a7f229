// What is looked at, as the address of the page says it: a setting can be kept, sent and opened again.
import { address, query } from "/static/base.js";

const PASSED_ON = ["label", "documents", "held", "seed"];

/** A number with as few digits as say it. */
export function short(number) {
  const size = Math.abs(number);
  const rounded = Number(number.toPrecision(4));
  return size > 0 && (size < 1e-3 || size >= 1e6) ? rounded.toExponential().replace("e+", "e") : String(rounded);
}

/** A decision line in words. */
export function written({ slope, shift }) {
  const tilt = slope === 1 ? "" : String(slope).replace("-", "−");
  return `y = ${tilt}x${shift === 0 ? "" : ` ${shift < 0 ? "−" : "+"} ${Math.abs(shift)}`}`;
}

/** What every request has to say: which documents. */
export function documentsQuery(label) {
  const given = Object.fromEntries(PASSED_ON.map((name) => [name, query.get(name)]));
  return { ...given, label };
}

export class State {
  constructor(facts) {
    this.facts = facts;
    this.families = new Map(facts.families.map((family) => [family.name, family]));
    this.family = this.families.get(query.get("model")) ?? facts.families[0];
    this.values = this.family.parameters.map((each) => this.checked(each, query.get(each.name)));
    this.line = { slope: number(query.get("slope"), 1), shift: number(query.get("shift"), 0) };
    this.upright = query.get("axes") === "odds";
    this.target = facts.targets.includes(query.get("target")) ? query.get("target") : facts.targets[0];
    this.kept = (query.get("keep") ?? "").split(".").map((text) => this.parsed(text)).filter(Boolean);
  }

  checked(parameter, text) {
    const found = number(text, parameter.default);
    return found >= parameter.least && found <= parameter.most ? found : parameter.default;
  }

  /** A setting as a word, such as beta~0_1~0_3; with the slope and the shift of a line that was moved. */
  static word({ family, values, line }) {
    const numbers = [...values.map(short), ...(line ? [line.slope, line.shift] : [])];
    return [family.name, ...numbers.map((each) => String(each).replace(".", "_"))].join("~");
  }

  parsed(word) {
    const [name, ...texts] = word.split("~");
    const family = this.families.get(name);
    const numbers = texts.map((text) => Number(text.replace("_", ".")));
    const n = family?.parameters.length;
    const [values, [slope, shift]] = [numbers.slice(0, n), numbers.slice(n)];
    const fits = family && numbers.every(Number.isFinite) && [n, n + 2].includes(numbers.length)
      && family.parameters.every((each, i) => values[i] >= each.least && values[i] <= each.most);
    return fits ? { family, values, line: numbers.length > n ? { slope, shift } : null } : null;
  }

  /** What a request says of a prior. */
  settingQuery(family = this.family, values = this.values) {
    const numbers = family.parameters.map((each, i) => [each.name, values[i]]);
    return { ...documentsQuery(this.facts.label), model: family.name, ...Object.fromEntries(numbers) };
  }

  get lineIsMoved() {
    return this.line.slope !== 1 || this.line.shift !== 0;
  }

  /** The address that brings all this back. */
  address({ family, values, line } = this) {
    const { slope, shift } = line ?? { slope: 1, shift: 0 };
    const numbers = Object.fromEntries(family.parameters.map((each, i) => [each.name, short(values[i])]));
    return address("/explore", {
      ...documentsQuery(this.facts.label),
      model: family.name,
      ...numbers,
      slope: slope === 1 ? null : slope,
      shift: shift === 0 ? null : shift,
      axes: this.upright ? "odds" : null,
      target: this.target === this.facts.targets[0] ? null : this.target,
      keep: this.kept.map(State.word).join("."),
    });
  }

  remember() {
    history.replaceState(null, "", this.address());
  }
}

function number(text, otherwise) {
  const found = text === null || text.trim() === "" ? NaN : Number(text);
  return Number.isFinite(found) ? found : otherwise;
}
