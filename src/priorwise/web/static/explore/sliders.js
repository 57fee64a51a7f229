// The prior's numbers: a slider on a logarithmic scale and a field to type into, for each.
import { el, fill } from "/static/base.js";
import { short } from "./state.js";

const STEPS = 1000;
const logit = (share) => Math.log(share / (1 - share));

/** From a number to a place of the slider, and back; a share's scale is fine at both ends. */
function scale({ low, high, is_share: isShare }) {
  const there = isShare ? logit : Math.log;
  const back = isShare ? (place) => 1 / (1 + Math.exp(-place)) : Math.exp;
  const [first, last] = [there(low), there(high)];
  return {
    place: (value) => Math.round(STEPS * Math.min(1, Math.max(0, (there(value) - first) / (last - first)))),
    value: (place) => Number(back(first + (place / STEPS) * (last - first)).toPrecision(3)),
  };
}

/** One slider with its field; `changed` gets the new number. */
function slider(parameter, value, changed) {
  const { place, value: at } = scale(parameter);
  const id = `parameter-${parameter.name}`;
  const range = el("input", {
    type: "range", id, min: 0, max: STEPS, step: 1, name: parameter.name,
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
  return { node: el("div", { class: "slider" }, el("label", { for: id }, parameter.symbol), range, field), settle };
}

/** Which prior: its family, its numbers, the presets; `chosen` gets (family, values). */
export function sliders(state, chosen, runPreset) {
  const groups = { bernoulli: "Bernoulli: words present and absent", presence: "Presence: words present", multinomial: "Multinomial: words counted" };
  const choice = el("select", { id: "family", change: () => {
    const family = state.families.get(choice.value);
    chosen(family, family.parameters.map((each) => each.default));
  } }, Object.entries(groups).map(([model, title]) => el("optgroup", { label: title },
    state.facts.families.filter((family) => family.model === model).map((family) => el("option", { value: family.name }, family.title)))));
  const rows = el("div");
  const says = el("p", { class: "formula quiet" });
  const presets = el("div", { class: "row presets", role: "group", "aria-label": "Presets" });
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
      fill(rows, each.map(({ node }) => node));
      fill(says, shown.says);
      if (presets.dataset.model !== shown.model) fill(presets, shown.presets.map((preset) => el("button", { type: "button", title: preset.title, click: () => runPreset(preset) },
        el("kbd", {}, preset.key), ` ${preset.name}`)));
      presets.dataset.model = shown.model;
    } else {
      each.forEach(({ settle }, i) => settle(state.values[i]));
    }
  }
  show();
  return { node: el("div", { class: "prior" }, el("div", { class: "field" }, el("label", { for: "family" }, "Prior"), choice), says, rows, presets), show };
}
