// Charts by plotly, in the colours of the page. Load this module only on pages that draw.
import { colour, el, onTheme, scaled } from "/static/base.js";

let loading;

/** Load plotly once; it comes from this server. */
export function plotly() {
  loading ??= new Promise((resolve, reject) => {
    const script = el("script", { src: "/static/plotly.min.js" });
    script.addEventListener("load", () => resolve(globalThis.Plotly));
    script.addEventListener("error", () => reject(new Error("The charts could not be loaded.")));
    document.head.append(script);
  });
  return loading;
}

/** The page's look as a plotly layout. */
export function look() {
  const ink = colour("--ink");
  const axis = { gridcolor: colour("--line"), zerolinecolor: colour("--line"), linecolor: colour("--line"), automargin: true };
  return {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: ink, family: getComputedStyle(document.body).fontFamily, size: scaled(13) },
    colorway: ["--series-1", "--series-2", "--series-3", "--series-4"].map(colour),
    margin: { l: 56, r: 16, t: 24, b: 48 },
    hoverlabel: { bgcolor: colour("--raised"), bordercolor: colour("--line"), font: { color: ink } },
    xaxis: axis,
    yaxis: axis,
  };
}

function merged(base, over) {
  const result = { ...base };
  for (const [name, value] of Object.entries(over)) {
    const both = value && base[name] && typeof value === "object" && !Array.isArray(value);
    result[name] = both ? merged(base[name], value) : value;
  }
  return result;
}

/**
 * Draw a chart, and draw it again when the page becomes light or dark.
 * `figure` returns {traces, layout}; it is asked each time, so that it can take its colours from the style.
 * `summary` says in a sentence what the chart shows, for those who do not see it.
 */
export async function draw(node, figure, summary) {
  node.setAttribute("role", "figure");
  node.setAttribute("aria-label", summary);
  const library = await plotly();
  const again = () => {
    const { traces, layout } = figure();
    return library.react(node, traces, merged(look(), layout ?? {}), { displaylogo: false, responsive: true });
  };
  if (!node.dataset.drawn) onTheme(again);
  node.dataset.drawn = "yes";
  return again();
}
