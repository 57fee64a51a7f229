// What is known of the priors of the family: a map for two numbers, a curve for one, or what a search tried.
import { address, ask, colour, el, fill, scaled } from "/static/base.js";
import { draw } from "/static/charts.js";
import { short } from "./state.js";

export class Terrain {
  /** `chosen` gets the numbers that were clicked at. */
  constructor(state, chosen) {
    this.state = state;
    this.chosen = chosen;
    this.chart = el("div", { class: "chart terrain-chart" });
    this.note = el("p", { class: "quiet", role: "status" });
    this.node = el("section", { class: "card terrain", "aria-labelledby": "terrain-title" },
      el("header", {}, this.title = el("h2", { id: "terrain-title" }, "Objective map"), this.note), this.chart);
    this.key = null;
    this.shown = null;
  }

  /** Ask for the family's terrain, unless it is there. */
  async load() {
    const { family, target } = this.state;
    const key = `${family.name} ${target}`;
    if (key === this.key) return this.draw();
    this.key = key;
    this.shown = null;
    fill(this.note, "Leaving out training documents…");
    const found = await ask(address("api/explore/terrain", { ...this.state.settingQuery(), target })).catch((error) => ({ error }));
    if (this.key !== key) return undefined;
    if (found.error) {
      this.key = null;
      return fill(this.note, found.error.message);
    }
    this.shown = { ...found, family, name: target.toUpperCase(), path: [] };
    return this.draw();
  }

  setPath(path) {
    if (this.shown) this.shown.path = path;
    return this.draw();
  }

  /** Draw what is there; a chart of another family may be asked for while this one is drawn. */
  async draw() {
    const { shown } = this;
    if (!shown || shown.family !== this.state.family) return;
    const { family, name } = shown;
    const { values } = this.state;
    fill(this.title, shown.tried ? "What was tried" : "Objective map");
    if (shown.tried) return this.drawTried(shown);
    const cells = shown.values.flat();
    const most = Math.max(...cells);
    fill(this.note, `${name} by leave-one-out for ${cells.length.toLocaleString("en-GB")} priors. Click to go there.`);
    const summary = `Objective map of ${name}: at most ${most.toFixed(3)}; now at ${family.parameters.map((each, i) => `${each.symbol} ${short(values[i])}`).join(", ")}.`;
    await draw(this.chart, () => this.figure(), summary);
    this.listen();
    return undefined;
  }

  /** Each setting that the search for the prior tried. */
  async drawTried(shown) {
    const best = shown.tried.reduce((a, b) => (b.share > a.share ? b : a));
    fill(this.note, `Typical rank of a left-out member, for ${shown.tried.length} settings. Lower is better. Click to go there.`);
    const summary = `${shown.tried.length} settings were tried. Weighs most: ${best.says}; a left-out member is typically found at rank ${Math.round(best.rank)}.`;
    await draw(this.chart, () => this.figure(), summary);
    this.listen();
  }

  listen() {
    if (this.isListening) return;
    this.isListening = true;
    this.chart.on("plotly_click", ({ points: [{ x, y, customdata }] }) => {
      if (this.shown?.family !== this.state.family) return;
      if (this.shown.tried) this.chosen(this.shown.tried[customdata].values);
      else this.chosen(this.state.family.parameters.length === 2 ? [y, x] : [x]);
    });
  }

  figure() {
    // Another family may have been chosen while the charts were loaded: then the last chart stays until it is there.
    if (this.shown?.tried) this.last = this.settings(this.shown);
    else if (this.shown) this.last = this.shown.family.parameters.length === 2 ? this.map(this.shown) : this.curve(this.shown);
    return this.last ?? { traces: [] };
  }

  marks(shown, at) {
    const ink = colour("--ink"), paper = colour("--raised");
    const path = shown.path.map(at);
    const marks = [];
    if (path.length) {
      const last = path[path.length - 1];
      marks.push(
        { x: path.map(([x]) => x), y: path.map(([, y]) => y), mode: "lines+markers", line: { color: "#ffffff", width: 4 }, marker: { size: 7, color: "#ffffff" }, hoverinfo: "skip" },
        { x: path.map(([x]) => x), y: path.map(([, y]) => y), mode: "lines+markers", line: { color: "#b5542c", width: 2 }, marker: { size: 4, color: "#b5542c" }, hoverinfo: "skip" },
        { x: [last[0]], y: [last[1]], mode: "markers", marker: { symbol: "star", size: 16, color: "#b5542c", line: { color: "#ffffff", width: 1.5 } }, hoverinfo: "skip" });
    }
    const [x, y] = this.state.family === shown.family ? at(this.state.values) : [NaN, NaN];
    marks.push({ x: [x], y: [y], mode: "markers", marker: { symbol: "circle-open", size: 14, color: paper, line: { width: 5 } }, hoverinfo: "skip" });
    marks.push({ x: [x], y: [y], mode: "markers", marker: { symbol: "circle-open", size: 14, color: ink, line: { width: 2.5 } }, hoverinfo: "skip" });
    return marks.map((each) => ({ ...each, type: "scatter", showlegend: false }));
  }

  axis({ symbol }, values) {
    const ends = [Math.log10(values[0]), Math.log10(values[values.length - 1])];
    const edge = (ends[1] - ends[0]) / (2 * values.length);
    return {
      type: "log", title: { text: symbol, standoff: 2 }, showgrid: false, exponentformat: "power", dtick: ends[1] - ends[0] > 5 ? 2 : 1,
      tickangle: 0, range: [ends[0] - edge, ends[1] + edge],
    };
  }

  settings(shown) {
    const [first] = shown.family.parameters;
    const one = (name, symbol, fits) => {
      const own = shown.tried.map((each, i) => ({ ...each, i })).filter(fits);
      return {
        type: "scatter", mode: "markers", name, x: own.map(({ values: [x] }) => x), y: own.map(({ rank }) => rank),
        customdata: own.map(({ i }) => i), text: own.map(({ says, share }) => `${says}<br>share ${share.toFixed(3)}`),
        marker: { symbol, size: own.map(({ share }) => 7 + 13 * Math.sqrt(share)), opacity: 0.75 },
        hovertemplate: "%{text}<br>rank %{y:.3g}<extra></extra>",
      };
    };
    return {
      traces: [one("no kinship", "circle", ({ values }) => values[1] === 0), one("kinship", "square", ({ values }) => values[1] > 0)].filter(({ x }) => x.length),
      layout: {
        margin: { t: 6, r: 12, b: 34, l: 46 },
        font: { size: scaled(12) },
        legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
        xaxis: { type: "log", title: { text: first.symbol, standoff: 2 }, exponentformat: "power", dtick: 1 },
        yaxis: { type: "log", title: { text: "typical rank" }, exponentformat: "power", tickformat: "~s", nticks: 5 },
      },
    };
  }

  map(shown) {
    const [first, second] = shown.family.parameters;
    const heat = {
      type: "heatmap", x: shown.axes[1], y: shown.axes[0], z: shown.values, colorscale: "Cividis",
      colorbar: { thickness: 10, outlinewidth: 0, title: { text: shown.name } },
      hovertemplate: `${second.symbol} %{x:.4g}, ${first.symbol} %{y:.4g}: %{z:.3f}<extra></extra>`,
    };
    return {
      traces: [heat, ...this.marks(shown, ([a, b]) => [b, a])],
      layout: {
        margin: { t: 6, r: 4, b: 34, l: 46 },
        font: { size: scaled(12) },
        xaxis: this.axis(second, shown.axes[1]),
        yaxis: this.axis(first, shown.axes[0]),
      },
    };
  }

  curve(shown) {
    const [parameter] = shown.family.parameters;
    const [axis] = shown.axes;
    const nearest = (value) => shown.values[axis.reduce((best, each, i) => (Math.abs(Math.log(each / value)) < Math.abs(Math.log(axis[best] / value)) ? i : best), 0)];
    const line = {
      type: "scatter", mode: "lines+markers", x: axis, y: shown.values, showlegend: false, marker: { size: 5 },
      hovertemplate: `${parameter.symbol} %{x:.4g}: %{y:.3f}<extra></extra>`,
    };
    return {
      traces: [line, ...this.marks(shown, ([value]) => [value, nearest(value)])],
      layout: {
        margin: { t: 6, r: 12, b: 34, l: 46 },
        font: { size: scaled(12) },
        xaxis: { type: parameter.is_share ? "linear" : "log", title: { text: parameter.symbol, standoff: 2 }, exponentformat: "power" },
        yaxis: { title: { text: shown.name }, rangemode: "tozero" },
      },
    };
  }
}
