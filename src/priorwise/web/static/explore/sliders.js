// The prior's numbers: a slider on a logarithmic scale and a field to type into, for each.
import { el, fill } from "/static/base.js";
import { short } from "./state.js";

const STEPS = 1000;
const logit = (share) => Math.log(share / (1 - share));

/** From a number to a place of the slider, and back; a share's scale is fine at both ends. 0 may be the left end. */
function scale({ low, high, is_share: isShare, may_be_zero: mayBeZero }) {
  const there = isShare ? logit : Math.log;
  const back = isShare ? (place) => 1 / (1 + Math.exp(-place)) : Math.exp;
  const [first, last] = [there(low), there(high)];
  return {
    place: (value) => (value === 0 ? 0 : Math.round(STEPS * Math.min(1, Math.max(0, (there(value) - first) / (last - first))))),
    value: (place) => (place === 0 && mayBeZero ? 0 : Number(back(first + (place / STEPS) * (last - first)).toPrecision(3))),
  };
}

/** One slider with its field; `changed` gets the new number. */
function slider(parameter, value, changed) {
  const { place, value: at } = scale(parameter);
  const id = `parameter-${parameter.name}`;
  const range = el("input", {
    type: "range", id, min: 0, max: STEPS, step: 1, name: parameter.name, "aria-describedby": `${id}-caption`,
    input: () => { settle(at(Number(range.value))); changed(at(Number(range.value))); },
  });
  const field = el("input", {
    type: "text", inputmode: "decimal", "aria-label": `${parameter.symbol}, typed`, class: "typed", autocomplete: "off",
    change: () => {
      const typed = Number(field.value.trim().replace(",", "."));
      const fits = field.value.trim() !== "" && typed >= parameter.least && typed <= parameter.most;
      field.setAttribute("aria-invalid", String(!fits));
      if (!fits) return;
      settle(typed);
      changed(typed);
    },
  });
  function settle(number) {
    range.value = place(number);
    range.setAttribute("aria-valuetext", `${parameter.symbol} ${short(number)}`);
    field.value = short(number);
    field.removeAttribute("aria-invalid");
  }
  settle(value);
  const caption = el("p", { class: "quiet caption", id: `${id}-caption` }, parameter.caption);
  return { node: el("div", { class: "slider" }, el("label", { for: id }, parameter.symbol), range, field, caption), settle };
}

/** Words that somebody knows; `changed` is told that state.keywords has. */
function keywordsField(state, changed) {
  const field = el("input", {
    type: "text", id: "keywords", autocomplete: "off", spellcheck: "false", placeholder: "+oil:2 −olive", "aria-describedby": "keywords-caption",
    change: () => {
      state.keywords = field.value.trim().replaceAll("−", "-");
      changed();
    },
  });
  const node = el("div", { class: "field keywords" }, el("label", { for: "keywords" }, "Keywords"), field,
    el("p", { class: "quiet caption", id: "keywords-caption" }, "+ counts for, − against; press Enter to apply"));
  return { node, settle: () => { field.value = state.keywords; } };
}

/** Which prior: its family, its numbers, the presets; `chosen` gets (family, values). */
export function sliders(state, chosen, runPreset) {
  const groups = [...new Set(state.facts.families.map((family) => family.group))];
  const choice = el("select", { id: "family", change: () => {
    chosen(state.families.get(choice.value), null);
  } }, groups.map((title) => el("optgroup", { label: title },
    state.facts.families.filter((family) => family.group === title).map((family) => el("option", { value: family.name }, family.title)))));
  const rows = el("div");
  const keywords = keywordsField(state, () => chosen(state.family, [...state.values]));
  const says = el("p", { class: "formula quiet" });
  const presets = el("ul", { class: "presets", "aria-label": "Presets" });
  let shown = null;
  let each = [];

  function show() {
    if (shown !== state.family) {
      shown = state.family;
      choice.value = shown.name;
      each = shown.parameters.map((parameter, i) => slider(parameter, state.values[i], (value) => {
        const values = [...state.values];
        values[i] = value;
        chosen(state.family, values);
      }));
      fill(rows, each.map(({ node }) => node), shown.keywords && keywords.node);
      fill(says, shown.says);
      if (presets.dataset.group !== shown.group) fill(presets, shown.presets.map((preset) => el("li", {}, el("button", { type: "button", click: () => runPreset(preset) }, el("kbd", {}, preset.key), ` ${preset.name}`),
        el("span", { class: "quiet caption" }, preset.title))));
      presets.dataset.group = shown.group;
    } else {
      each.forEach(({ settle }, i) => settle(state.values[i]));
    }
    keywords.settle();
  }
  show();
  return { node: el("div", { class: "prior" }, el("div", { class: "field" }, el("label", { for: "family" }, "Model"), choice), says, rows, presets), show };
}
