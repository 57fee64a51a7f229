// See what a prior does: points that move while a slider does, the words that move with them, and the figures.
import { address, allIsWell, ask, complain, count, el, fill, later, nothingHere, query, say } from "/static/base.js";
import { measure, measuresTable } from "./measures.js";
import { Points, density, kinds } from "./points.js";
import { Glance, Reader } from "./reading.js";
import { Scatter } from "./scatter.js";
import { sliders } from "./sliders.js";
import { State, documentsQuery, short, written } from "./state.js";
import { Terrain } from "./terrain.js";
import { Trials } from "./trials.js";
import { Words } from "./words.js";

const main = document.getElementById("main");
const SETTLED = 350;
const STRIDE = 130;
const STRIDES = 20;
const CROWDED = 1.5;

try {
  fill(main, el("p", { class: "quiet", role: "status" }, "Reading the documents…"));
  const facts = await ask(address("api/explore/start", documentsQuery(query.get("label"))));
  const state = new State(facts);
  fill(main, el("p", { class: "quiet", role: "status" }, `Learning from the ${count(facts.members - facts.held_out_members)} training members of ${facts.label}. This takes some seconds.`));
  await state.open();
  run(state, await kinds(state));
} catch (error) {
  nothingHere("The Lab cannot open this category", error);
}

function run(state, kindOf) {
  const { facts } = state;
  const table = measuresTable(facts.documents < facts.in_corpus);
  const summary = el("p", { id: "view-summary", class: "said" });
  const glance = new Glance(state);
  const reader = new Reader(state);
  const terrain = new Terrain(state, (values) => set(state.family, values));
  const words = new Words(state);
  const trials = new Trials(state, ({ family, values, line, keywords }) => {
    state.keywords = keywords ?? "";
    view.setLine(line ?? { slope: 1, shift: 0 });
    set(family, values);
  });
  let latest = null;
  let journey = 0;

  const view = new Scatter(kindOf, state, {
    lineMoved(line) {
      state.line = line;
      table.show({ left_out: null });
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
    words.want();
  }, complain);
  const controls = sliders(state, choose, preset);

  /** Go to a prior of a family; without numbers, to where its sliders open. */
  async function choose(family, values) {
    const own = ++journey;
    try {
      if (!values) fill(progress, "Choosing where to begin…");
      const found = values ?? await state.opening(family);
      if (own === journey) set(family, found);
    } catch (error) {
      fill(progress);
      controls.show();
      complain(error);
    }
  }

  /** Go to a prior: the sliders, the points, the address. */
  function set(family, values, { byHand = true } = {}) {
    if (byHand) {
      journey += 1;
      fill(progress);
    }
    const isNew = family !== state.family;
    if (!family.keywords) state.keywords = "";
    state.family = family;
    state.values = values;
    controls.show();
    table.show({ left_out: null }); // until the setting has settled
    if (isNew) adapt();
    if (byHand) view.scene.density = null;
    glance.forget();
    points.want(state.settingQuery());
    settled();
    if (isNew) terrain.load();
  }

  /** What differs from family to family: what is drawn upwards, and what the best prior is. */
  function adapt() {
    const { family } = state;
    Object.assign(view.scene, { family, upright: state.upright });
    upright.checked = state.upright;
    upright.disabled = family.up === null;
    fill(side, state.upright ? "Above" : "Below");
    fill(best, `${family.best} `, el("kbd", {}, "b"));
    for (const node of [by, target]) node.hidden = !family.targets.length;
    diagonal.hidden = family.up !== null;
    fill(back, state.upright ? "Back to 0" : "Back to y = x");
    fill(rule, written(state.line, state.upright));
    view.frame.isHeld = false;
  }

  function judge() {
    if (!latest) return;
    const of = (heldOut) => measure(latest, kindOf, heldOut, state.line, facts.others_per_member);
    const found = { training: of(0), held_out: of(1) };
    table.show(found);
    back.disabled = !state.lineIsMoved;
    fill(rule, written(state.line, state.upright));
    summary.textContent = `Training: F1 ${found.training.f1.toFixed(3)}, ${found.training.tp} members and ${found.training.fp} other documents in the category. `
      + `Held out: F1 ${found.held_out.f1.toFixed(3)}, ${found.held_out.tp} members and ${found.held_out.fp} other documents in the category.`;
  }

  /** When nothing has moved for a while: write the trial down, and what takes longer. */
  const settled = later(SETTLED, async () => {
    const { family, values, keywords } = state;
    const line = state.lineIsMoved ? { ...state.line } : null;
    state.remember();
    try {
      const found = await ask(address("api/explore/trial", { ...state.settingQuery(), ...line }));
      trials.add({ family, values, line, keywords }, found);
      if (family !== state.family || values !== state.values) return;
      table.show({ left_out: found.left_out });
      say(summary.textContent);
      terrain.load();
      if (family.shades && facts.in_corpus > CROWDED * facts.documents) {
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
      const { path, keywords } = await ask(address("api/explore/best", { ...state.settingQuery(family, from), target: state.target }));
      if (own !== journey) return;
      state.keywords = keywords;
      set(family, path[0], { byHand: false });
      await terrain.load();
      terrain.setPath(path);
      await walk(path, family, own);
      if (own === journey) fill(progress, `${family.best_by}: ${name(family, path[path.length - 1])}`);
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

  const best = el("button", { type: "button", class: "main", click: () => findBest() });
  const progress = el("p", { class: "quiet progress", role: "status" });
  const target = el("select", { id: "target", change: () => { state.target = target.value; state.remember(); terrain.load(); } },
    facts.targets.map((each) => el("option", { value: each, selected: each === state.target }, { f1: "F1", "f0.5": "F0.5, for precision", f2: "F2, for recall", ppv: "Precision, recall at least 10%" }[each] ?? each)));
  const by = el("label", { for: "target" }, "by");
  const side = el("span");
  const diagonal = el("span", {}, " Documents on the dashed line have not moved since the sliders opened.");
  const upright = el("input", { type: "checkbox", id: "upright", change: () => {
    state.chosenUpright = upright.checked;
    adapt();
    view.refit();
    state.remember();
  } });
  const wrong = el("input", { type: "checkbox", id: "wrong", change: () => { view.scene.onlyWrong = wrong.checked; view.want(); } });
  const rule = el("output", { class: "rule" });
  const back = el("button", { type: "button", disabled: true, click: () => view.setLine({ slope: 1, shift: 0 }) });
  const label = el("input", { id: "label", list: "labels", value: facts.label, autocomplete: "off", input: later(150, suggest), change: () => {
    if (label.value.trim() && label.value.trim() !== facts.label) location.assign(address("explore", { ...documentsQuery(label.value.trim()), model: state.family.name }));
  } });
  const labels = el("datalist", { id: "labels" });
  async function suggest() {
    const { labels: found } = await ask(address("api/library/labels", { q: label.value.trim(), limit: 20 })).catch(() => ({ labels: [] }));
    fill(labels, found.map((each) => el("option", { value: each.label })));
  }

  document.title = `${facts.label} · Explore · priorwise`;
  fill(main, el("h1", { class: "said" }, `Explore ${facts.label}`), el("div", { class: "explorer" },
    el("div", { class: "side" },
      el("section", { class: "card controls", "aria-label": "The model and its prior" },
        el("div", { class: "field" }, el("label", { for: "label" }, "Category"), label, labels),
        el("p", { class: "quiet facts" }, `${count(facts.members)} members among ${count(facts.documents)} documents${facts.documents < facts.in_corpus ? ` of ${count(facts.in_corpus)}` : ""}, ${count(facts.held_out)} held out`),
        controls.node,
        el("div", { class: "row" }, best, by, target), progress),
      terrain.node),
    el("div", { class: "side" }, el("section", { class: "card view", "aria-label": "Documents" },
      view.node, summary, el("div", { class: "figures" }, table.node, words.node),
      el("div", { class: "row legend" },
        el("span", { class: "key member" }, "▲ member"), el("span", { class: "key other" }, "◆ other document"),
        el("label", {}, upright, " Log odds upright"), el("label", {}, wrong, " Only mistakes"), rule, back,
        el("button", { type: "button", click: () => view.refit() }, "Fit")),
      el("p", { id: "view-keys", class: "quiet hints" }, side, " the line a document is in the category.", diagonal, " Drag the line, or its ends to turn it; ",
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

  for (const kept of [...state.kept].reverse()) {
    ask(address("api/explore/trial", { ...state.settingQuery(kept.family, kept.values, kept.keywords), ...kept.line })).then((found) => trials.add(kept, found)).catch(complain);
  }
  adapt();
  set(state.family, state.values);
  terrain.load();
}
