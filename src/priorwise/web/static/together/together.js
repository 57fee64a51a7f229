// Who judges what, how far they agree, and what to decide where they do not.
import { address, allIsWell, ask, complain, count, counted, el, fill, nothingHere, query, say } from "/static/base.js";

const main = document.getElementById("main");
const category = query.get("category");
const me = localStorage.getItem("priorwise-reviewer") || "me";
const NAMES = { yes: "Yes", no: "No", unsure: "Unsure" };
const LOCAL = ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);
const number = (value) => (value === null ? "not defined" : value.toFixed(2).replace("-", "−"));
let state = null;

await load();

async function load() {
  try {
    state = await ask(address("api/together/state", { category }));
    show();
  } catch (error) {
    nothingHere("This category cannot be opened", error);
  }
}

function show() {
  document.title = `${state.name} together · priorwise`;
  const open = state.disagreements.filter((each) => each.decision === null);
  fill(main,
    el("h1", { dir: "auto" }, state.name),
    el("p", { class: "quiet" }, "Invite others by a link, share the documents among you, and settle disagreements."),
    el("p", {}, el("a", { class: `button${state.team ? " main" : ""}`, href: address("workbench", { category }) }, "Judge"), " ", el("a", { class: "button", href: address("finish", { category }) }, "Finish")),
    el("h2", {}, "Reviewers"), reviewers(), team(),
    el("h2", {}, "Agreement"), agreement(),
    el("h2", { id: "disagreements", tabindex: "-1" }, `Disagreements${state.disagreements.length ? `: ${count(open.length)} to decide` : ""}`),
    state.disagreements.length ? el("ul", { class: "disagreements" }, state.disagreements.map(disagreement)) : el("p", { class: "quiet" }, "None so far."));
}

function reviewers() {
  if (!state.reviewers.length) return el("p", { class: "quiet" }, "Nobody has judged yet. Add reviewers below, and send each of them their own link.");
  return [
    el("div", { class: "wide" }, el("table", {},
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Name"), el("th", { scope: "col", class: "number" }, "Judged"), el("th", { scope: "col" }, "Link"))),
      el("tbody", {}, state.reviewers.map((each) => el("tr", {}, el("th", { scope: "row", dir: "auto" }, each.name), el("td", { class: "number" }, count(each.judged)),
        el("td", {}, each.link === null ? el("span", { class: "quiet" }, "No link: not in the team") : link(each))))))),
    state.team && el("p", { class: "quiet" }, "Each link is for one person. It opens this category under that name, and shows neither other pages nor other people’s verdicts.",
      LOCAL && el("strong", {}, " These links work on this computer only. For others to open them, start the app with “priorwise app --host 0.0.0.0”.")),
  ];
}

function link({ name, link: path }) {
  const whole = new URL(path, location.href).href;
  const copy = el("button", { type: "button", "aria-label": `Copy the link of ${name}`, click: async () => {
    await navigator.clipboard.writeText(whole).then(() => { fill(copy, "Copied"); say(`The link of ${name} is copied.`); }, () => say("Copy the link by hand."));
  } }, "Copy");
  return el("span", { class: "row" }, copy, el("a", { class: "link", href: whole, "aria-label": `Link of ${name}` }, `${location.host}/r/…${path.slice(-9, -1)}`));
}

function team() {
  const names = el("textarea", { id: "names", rows: 4, placeholder: "Ada\nBob" });
  names.value = (state.team?.reviewers ?? (me === "me" ? [] : [me])).join("\n");
  const copies = el("input", { id: "copies", type: "number", min: 1, max: 50, value: Math.max(2, state.team?.copies ?? 2), "aria-label": "Reviewers for each document" });
  const overlap = el("input", { id: "overlap", type: "number", min: 0, max: 100, value: Math.round(100 * (state.team?.overlap || 0.1)), "aria-label": "Percent of the documents that everyone judges" });
  const now = !state.team || (state.team.copies === 1 && state.team.overlap === 0) ? "split" : state.team.copies > 1 ? "copies" : "overlap";
  const choice = (value, ...text) => el("label", { class: "choice" }, el("input", { type: "radio", name: "how", value, checked: value === now }), el("span", {}, text));
  const form = el("form", { class: "card who", submit: save },
    el("div", { class: "field" }, el("label", { for: "names" }, "Who judges? One name on each line."), names),
    el("fieldset", {}, el("legend", {}, "Who gets which documents?"),
      choice("split", "Split: each document goes to one reviewer"),
      choice("overlap", "Split, but everyone judges ", overlap, " % of the documents, to measure agreement"),
      choice("copies", "Each document is judged by ", copies, " reviewers")),
    el("div", { class: "row" }, el("button", { type: "submit", class: "main" }, state.team ? "Save" : "Save and make links"),
      state.team && el("button", { type: "button", click: () => share([]) }, "End the team")));
  function save(event) {
    event.preventDefault();
    const how = new FormData(form).get("how");
    const given = names.value.split("\n").map((each) => each.trim()).filter(Boolean);
    share(given, how === "copies" ? { copies: Number(copies.value) } : how === "overlap" ? { overlap: Number(overlap.value) / 100 } : {});
  }
  return el("details", { class: "team", open: !state.team }, el("summary", {}, state.team ? "Change the team" : "Invite reviewers"), form);
}

async function share(reviewers, how = {}) {
  try {
    await ask("api/together/share", { category, reviewers, ...how });
    allIsWell();
    await load();
    say(reviewers.length ? "The team is saved. Send each reviewer their link." : "The team is ended.");
  } catch (error) {
    complain(error);
  }
}

function agreement() {
  const { group, pairs } = state;
  if (!group.documents) return el("p", { class: "quiet" }, "No document has been judged by two reviewers yet.");
  return [
    group.reviewers > 2 && el("p", {}, `All ${group.reviewers} reviewers: Krippendorff’s α ${number(group.alpha)} on ${counted(group.documents, "document")} that two or more judged`,
      group.by_all > 0 ? `; Fleiss’ κ ${number(group.fleiss)} on ${counted(group.by_all, "document")} that all judged.` : "."),
    el("div", { class: "wide" }, el("table", {},
      el("thead", {}, el("tr", {}, ["Reviewers", "Both judged", "Agreed", "Cohen’s κ", "95% interval"].map((name, at) => el("th", { scope: "col", class: at ? "number" : null }, name)))),
      el("tbody", {}, pairs.map((pair) => el("tr", {}, el("th", { scope: "row", dir: "auto" }, `${pair.first} and ${pair.second}`), el("td", { class: "number" }, count(pair.documents)),
        el("td", { class: "number" }, `${Math.round(100 * pair.agreed)}%`), el("td", { class: "number" }, number(pair.kappa)), el("td", { class: "number" }, pair.kappa === null ? "–" : `${number(pair.low)} to ${number(pair.high)}`)))))),
    el("p", { class: "quiet" }, "1 means that reviewers always agree, 0 that they agree no more often than by chance. Values above 0.6 are usually called substantial."),
  ];
}

function disagreement(each) {
  const text = el("div", { class: "text", dir: "auto", hidden: true, tabindex: "0", role: "region", "aria-label": `Text of ${each.title}` });
  const read = el("button", { type: "button", click: async () => {
    const found = await ask(address("api/workbench/document", { category, reviewer: me, id: each.id })).catch(complain);
    if (found) fill(text, found.text ?? "The corpus keeps no texts.");
    text.hidden = false;
  }, "aria-label": `Read ${each.title}` }, "Read");
  return el("li", { class: "card" }, el("h3", { dir: "auto" }, each.title),
    el("div", { class: "sides" }, each.verdicts.map(side), each.decision && side({ ...each.decision, reviewer: `Decided by ${each.decision.reviewer}` })),
    text,
    el("div", { class: "row", role: "group", "aria-label": `Decide about ${each.title}` }, read, el("span", {}, each.decision ? "Decide again:" : "Decide:"),
      Object.entries(NAMES).map(([word, name]) => el("button", { type: "button", "aria-pressed": String(each.decision?.verdict === word), click: () => decide(each.id, word) }, name))));
}

function side({ reviewer, verdict, note }) {
  return el("div", { class: `side is-${verdict}` }, el("strong", { dir: "auto" }, reviewer), NAMES[verdict] ?? verdict, note && el("div", { class: "quiet", dir: "auto" }, note));
}

async function decide(id, verdict) {
  try {
    await ask("api/together/decide", { category, reviewer: me, id, verdict });
    allIsWell();
    await load();
    document.getElementById("disagreements").focus();
    say("Decided.");
  } catch (error) {
    complain(error);
  }
}
