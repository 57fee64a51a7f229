// How complete the category is, how sure that is, and everything to download.
import { address, ask, complain, count, counted, el, fill, nothingHere, query } from "/static/base.js";

const main = document.getElementById("main");
const category = query.get("category");
const state = await ask(address("api/finish/state", { category })).catch((error) => nothingHere("This category cannot be opened", error));
if (state) show();

function show() {
  document.title = `${state.name} · priorwise`;
  const [expected, low, high] = state.missing.map(Math.round);
  const file = (name, what, as, text) => el("a", { href: address("api/finish/file", { category, what, as }), download: "", "aria-label": `${name} as ${text}` }, text);
  const back = el("a", { class: `button${state.stop.safe ? "" : " main"}`, href: address("workbench", { category }) }, state.judged ? "Continue judging" : "Begin judging");
  const random = el("button", { type: "button", click: sample, disabled: state.unread < 1 }, `Judge ${count(Math.min(50, state.unread))} at random to be sure`);
  fill(main,
    el("h1", { dir: "auto" }, state.name),
    el("p", { class: `verdict-line${state.stop.safe ? " safe" : ""}`, role: "status" }, el("strong", {}, state.stop.safe ? "You can stop. " : state.judged ? "Not complete yet. " : "Nothing is judged yet. "), state.judged > 0 && state.stop.reason),
    el("div", { class: "figures" },
      figure(count(state.members), "members at the start"),
      figure(count(state.found), `found, of ${counted(state.judged, "document")} judged`),
      figure(expected === 0 ? "0" : `about ${count(expected)}`, `still missing (80% interval ${count(low)}–${count(high)})`)),
    el("p", { class: "row" }, back, random, el("a", { class: "button", href: address("together", { category }) }, "Judge together")),
    state.disagreements > 0 && el("p", { class: "verdict-line" }, el("a", { href: address("together", { category }) }, `Reviewers disagree about ${counted(state.disagreements, "document")}. Decide.`)),
    el("div", { class: "parts" }, state.curve.length > 1 && el("section", {}, el("h2", {}, "Members found"), curve(state.curve),
      el("p", { class: "quiet" }, "When the line flattens, few members are left to find.")),
    el("section", {}, el("h2", {}, "Download"),
    el("ul", { class: "downloads" },
      state.original && el("li", { class: "card first" }, el("span", { class: "name" }, el("strong", { dir: "auto" }, state.original), el("div", { class: "quiet" }, "Your own file, with the new category added")),
        el("a", { class: `button${state.stop.safe ? " main" : ""}`, href: address("api/finish/original", { category }), download: "" }, "Download")),
      row("What was found", "The documents you accepted", ["csv", "CSV"], ["xlsx", "Excel"], ["ris", "RIS"], ["wikitext", "Wikitext"]),
      row("The whole category", "Members and what was found", ["csv", "CSV"], ["xlsx", "Excel"], ["ris", "RIS"], ["wikitext", "Wikitext"]),
      row("Everything", "All candidates with probabilities and status", ["csv", "CSV"], ["xlsx", "Excel"], ["ris", "RIS"]),
      el("li", { class: "card" }, el("span", { class: "name" }, el("strong", {}, "Verdicts"), el("div", { class: "quiet" }, "Each verdict with its reviewer, time and note")), el("a", { href: address("api/finish/verdicts", { category }), download: "", "aria-label": "Verdicts as CSV" }, "CSV"))))),
    el("h2", {}, "More"),
    el("ul", {}, el("li", {}, el("a", { href: address("report", { run: state.run }) }, "Report"), ": what was found on one page, with the statistics behind it"),
      el("li", {}, el("a", { href: address("review", { run: state.run }) }, "Evaluate"), ": measure the ranking by judging documents blindly"),
      state.label && el("li", {}, el("a", { href: address("explore", { label: state.label }) }, "Lab"), ": see what the prior does to this category")));

  function row(name, note, ...kinds) {
    const what = { "What was found": "accepted", "The whole category": "complete", Everything: "ranking" }[name];
    return el("li", { class: "card" }, el("span", { class: "name" }, el("strong", {}, name), el("div", { class: "quiet" }, note)), el("span", { class: "row" }, kinds.map(([as, text]) => file(name, what, as, text))));
  }
}

function figure(number, text) {
  return el("div", { class: "card" }, el("strong", {}, number), text);
}

/** Draw 50 unread documents at random; they are the next to be judged. */
async function sample() {
  try {
    await ask("api/workbench/sample", { category, n: Math.min(50, state.unread) });
    location.assign(address("workbench", { category }));
  } catch (error) {
    if (error.message.includes("not judged yet")) return location.assign(address("workbench", { category }));
    complain(error);
  }
  return undefined;
}

/** Members found after each verdict, as a line. */
function curve(found) {
  const [width, height, left, bottom, top] = [440, 190, 34, 26, 12];
  const most = Math.max(1, found.at(-1));
  const x = (at) => left + (width - left - 10) * at / found.length;
  const y = (n) => height - bottom - (height - bottom - top) * n / most;
  const svg = node("svg", { viewBox: `0 0 ${width} ${height}`, class: "curve", role: "img", "aria-label": `${found.at(-1)} members found among ${found.length} documents judged` });
  svg.append(node("path", { class: "axis", d: `M${left} ${top}V${height - bottom}H${width - 10}`, fill: "none" }),
    node("path", { class: "line", d: `M${x(0)} ${y(0)}` + found.map((n, at) => `L${x(at + 1).toFixed(1)} ${y(n).toFixed(1)}`).join("") }),
    node("text", { x: left - 6, y: y(most) + 4, "text-anchor": "end" }, count(most)),
    node("text", { x: left - 6, y: y(0), "text-anchor": "end" }, "0"),
    node("text", { x: width - 10, y: height - 8, "text-anchor": "end" }, `${counted(found.length, "document")} judged`));
  return svg;
}

function node(tag, properties, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}
