// See what a prior does: points that move while a slider does, and what comes of it.
import { address, allIsWell, ask, complain, count, el, fill, later, query, say } from "/static/base.js";
import { measure, measuresTable } from "./measures.js";
import { Points, density, kinds } from "./points.js";
import { Glance, Reader } from "./reading.js";
import { Scatter } from "./scatter.js";
import { sliders } from "./sliders.js";
import { State, documentsQuery, short, written } from "./state.js";
import { Terrain } from "./terrain.js";
import { Trials } from "./trials.js";

const main = document.getElementById("main");
const SETTLED = 350;
const STRIDE = 130;
const STRIDES = 20;
const CROWDED = 1.5;

try {
  const facts = await ask(address("/api/explore/start", documentsQuery(query.get("label"))));
  const state = new State(facts);
  run(state, await kinds(state));
} catch (error) {
  complain(error);
}

function run(state, kindOf) {
  const { facts } = state;
  const table = measuresTable();
  const summary = el("p", { id: "view-summary", class: "said" });
  const glance = new Glance(state);
  const reader = new Reader(state);
  const terrain = new Terrain(state, (values) => set(state.family, values));
  const trials = new Trials(state, ({ family, values, line }) => {
    view.setLine(line ?? { slope: 1, shift: 0 });
    set(family, values);
  });
  let latest = null;
  let journey = 0;

  const view = new Scatter(kindOf, state, {
    lineMoved(line) {
      state.line = line;
      judge();
      settled();
    },
    pointedAt: (i, where) => glance.show(i, where),
    opened(i) {
      glance.show(null);
      reader.open(i, latest.odds[i]);
    },
  });
  const points = new Points((found) => {
    allIsWell();
    latest = found;
    view.show(found);
    judge();
  }, complain);
  const controls = sliders(state, set, preset);

  /** Go to a prior: the sliders, the points, the address. */
  function set(family, values, { byHand = true } = {}) {
    if (byHand) {
      journey += 1;
      fill(progress);
    }
    const isNew = family !== state.family;
    state.family = family;
    state.values = values;
    controls.show();
    if (byHand) view.scene.density = null;
    glance.forget();
    points.want(state.settingQuery());
    settled();
    if (isNew) terrain.load();
  }

  function judge() {
    if (!latest) return;
    const of = (heldOut) => measure(latest, kindOf, heldOut, state.line, facts.others_per_member);
    const found = { training: of(0), held_out: of(1), left_out: null };
    table.show(found);
    back.disabled = !state.lineIsMoved;
    fill(rule, written(state.line));
    summary.textContent = `Training: F1 ${found.training.f1.toFixed(3)}, ${found.training.tp} members and ${found.training.fp} others below the line. `
      + `Held out: F1 ${found.held_out.f1.toFixed(3)}, ${found.held_out.tp} members and ${found.held_out.fp} others below the line.`;
  }

  /** When nothing has moved for a while: write the trial down, and what takes longer. */
  const settled = later(SETTLED, async () => {
    const [family, values, line] = [state.family, state.values, state.lineIsMoved ? { ...state.line } : null];
    state.remember();
    try {
      const found = await ask(address("/api/explore/trial", { ...state.settingQuery(), ...line }));
      trials.add(family, values, found, line);
      if (family !== state.family || values !== state.values) return;
      table.show({ left_out: found.left_out });
      say(summary.textContent);
      terrain.load();
      if (facts.in_corpus > CROWDED * facts.documents) {
        const all = await density(state);
        if (values === state.values) Object.assign(view.scene, { density: all });
        view.want();
      }
    } catch (error) {
      complain(error);
    }
  });

  async function findBest(family = state.family, from = state.values) {
    const own = ++journey;
    best.disabled = true;
    fill(progress, "Searching…");
    try {
      const { path } = await ask(address("/api/explore/best", { ...state.settingQuery(family, from), target: state.target }));
      if (own !== journey) return;
      set(family, path[0], { byHand: false });
      await terrain.load();
      terrain.setPath(path);
      await walk(path, family, own);
      if (own === journey) fill(progress, `Best by leave-one-out: ${name(family, path[path.length - 1])}`);
    } catch (error) {
      fill(progress);
      complain(error);
    } finally {
      best.disabled = false;
    }
  }

  /** Go along the search's path, at a pace that the eye can follow. */
  async function walk(path, family, own) {
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const stride = isStill ? path.length : Math.max(1, Math.ceil(path.length / STRIDES));
    for (let i = 0; i < path.length && own === journey; i += stride) {
      set(family, path[i], { byHand: false });
      if (!isStill) await new Promise((resolve) => setTimeout(resolve, STRIDE));
    }
    if (own === journey) set(family, path[path.length - 1], { byHand: false });
  }

  function name(family, values) {
    return family.parameters.map((each, i) => `${each.symbol} ${short(values[i])}`).join(", ");
  }

  function preset({ family, values }) {
    const found = state.families.get(family);
    if (values) set(found, values);
    else findBest(found, found === state.family ? state.values : found.parameters.map((each) => each.default));
  }

  const best = el("button", { type: "button", class: "main", click: () => findBest() }, "Find the best ", el("kbd", {}, "b"));
  const progress = el("p", { class: "quiet progress", role: "status" });
  const target = el("select", { id: "target", change: () => { state.target = target.value; state.remember(); terrain.load(); } },
    facts.targets.map((each) => el("option", { value: each, selected: each === state.target }, { f1: "F1", "f0.5": "F0.5, for precision", f2: "F2, for recall", ppv: "PPV, recall at least 10%" }[each] ?? each)));
  const side = el("span", {}, state.upright ? "Above" : "Below");
  const upright = el("input", { type: "checkbox", id: "upright", checked: state.upright, change: () => {
    state.upright = upright.checked;
    view.scene.upright = upright.checked;
    fill(side, upright.checked ? "Above" : "Below");
    view.refit();
    state.remember();
  } });
  const wrong = el("input", { type: "checkbox", id: "wrong", change: () => { view.scene.onlyWrong = wrong.checked; view.want(); } });
  const rule = el("output", { class: "rule" }, written(state.line));
  const back = el("button", { type: "button", disabled: true, click: () => view.setLine({ slope: 1, shift: 0 }) }, "Back to y = x");
  const label = el("input", { id: "label", list: "labels", value: facts.label, autocomplete: "off", input: later(150, suggest), change: () => {
    if (label.value.trim() && label.value.trim() !== facts.label) location.assign(address("/explore", { ...documentsQuery(label.value.trim()), model: state.family.name }));
  } });
  const labels = el("datalist", { id: "labels" });
  async function suggest() {
    const { labels: found } = await ask(address("/api/home/labels", { q: label.value.trim(), limit: 20 })).catch(() => ({ labels: [] }));
    fill(labels, found.map((each) => el("option", { value: each.label })));
  }

  document.title = `${facts.label} · Explore · priorwise`;
  fill(main, el("h1", { class: "said" }, `Explore ${facts.label}`), el("div", { class: "explorer" },
    el("div", { class: "side" },
      el("section", { class: "card controls", "aria-label": "The prior" },
        el("div", { class: "field" }, el("label", { for: "label" }, "Category"), label, labels),
        el("p", { class: "quiet facts" }, `${count(facts.members)} members among ${count(facts.documents)} documents${facts.documents < facts.in_corpus ? ` of ${count(facts.in_corpus)}` : ""}, ${count(facts.held_out)} held out`),
        controls.node,
        el("div", { class: "row" }, best, el("label", { for: "target" }, "by"), target), progress),
      terrain.node),
    el("div", { class: "side" }, el("section", { class: "card view", "aria-label": "Documents" },
      view.node, summary, table.node,
      el("div", { class: "row legend" },
        el("span", { class: "key member" }, "▲ member"), el("span", { class: "key other" }, "◆ other"),
        el("label", {}, upright, " Log odds upright"), el("label", {}, wrong, " Only mistakes"), rule, back,
        el("button", { type: "button", click: () => view.refit() }, "Fit")),
      el("p", { id: "view-keys", class: "quiet keys" }, side, " the line a document is in the category. Drag the line, or its ends to turn it; ",
        el("kbd", {}, "↑"), el("kbd", {}, "↓"), " move it, ", el("kbd", {}, "←"), el("kbd", {}, "→"), " turn it, ", el("kbd", {}, "n"), " points at the next mistake, ", el("kbd", {}, "Enter"), " opens it.")),
    trials.node)), glance.node, reader.node);

  addEventListener("keydown", (event) => {
    const isTyping = event.target.matches?.("input:not([type=range], [type=checkbox], [type=radio]), select, textarea");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || reader.node.open) return;
    const found = state.family.presets.find((each) => each.key === event.key);
    if (found) preset(found);
    else if (event.key === "b") findBest();
    else return;
    event.preventDefault();
  });

  for (const { family, values, line } of [...state.kept].reverse()) {
    ask(address("/api/explore/trial", { ...state.settingQuery(family, values), ...line })).then((found) => trials.add(family, values, found, line)).catch(complain);
  }
  set(state.family, state.values);
  terrain.load();
}
