// What every page needs: elements, requests, words for screen readers, light and dark.

/** Make an element. Strings become text, never markup; a property that is a function listens to that event. */
export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name, value);
    else if (name === "dataset") Object.assign(node.dataset, value);
    else if (name === "value" && tag !== "progress") node.value = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Replace what is in an element. */
export function fill(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** A link to another site, or plain text if the address is none of the web's. */
export function outside(address, text) {
  if (!/^https?:\/\//i.test(address ?? "")) return text;
  return el("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, text);
}

/** Ask the server; an error carries the server's sentence. */
export async function ask(path, body, { signal } = {}) {
  const options = { signal, headers: { Accept: "application/json" } };
  if (body !== undefined) {
    options.method = "POST";
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, options);
    reached(true);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    reached(false);
    const lost = new Error("priorwise does not answer. Is it still running?");
    lost.status = 0;
    throw lost;
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) {
    const refused = new Error(answer.error ?? `The server answered ${response.status}.`);
    refused.status = response.status;
    throw refused;
  }
  return answer;
}

/** Say at the foot of the page whether the server can be reached; ask now and then until it can. */
function reached(isThere) {
  const shown = document.querySelector(".offline");
  if (isThere) return shown?.remove();
  if (shown) return undefined;
  document.querySelector(".top").append(el("p", { class: "offline", role: "alert" }, "priorwise has stopped. Start it again, and this page will reconnect by itself."));
  const again = () => fetch("/static/icon.svg", { cache: "no-store" }).then(() => reached(true), () => setTimeout(again, 2000));
  return setTimeout(again, 2000);
}

/** Follow what takes long: how far it is, how long it still takes, and a way to stop it. */
export function jobView(job, cancel) {
  const left = job.seconds_left === null ? "" : job.seconds_left < 8 ? "a few seconds left" : job.seconds_left < 90 ? `about ${Math.round(job.seconds_left / 5) * 5} seconds left` : `about ${Math.round(job.seconds_left / 60)} minutes left`;
  const what = job.cancelled ? "Cancelling…" : job.state === "waiting" ? "Waiting for another job to finish" : job.what;
  return el("div", { class: "job", role: "group", "aria-label": job.name },
    el("div", { class: "row" }, el("strong", { dir: "auto" }, job.name), el("button", { type: "button", class: "link", disabled: job.cancelled, click: () => cancel(job), "aria-label": `Cancel ${job.name}` }, "Cancel")),
    el("progress", { max: 1, value: job.state === "waiting" ? null : job.share || null, "aria-label": `${job.name}: ${what}` }),
    el("div", { class: "row quiet" }, el("span", {}, what), el("span", {}, job.cancelled ? "" : left)));
}

/** How long ago something was, in words. */
export function ago(seconds) {
  const minutes = (Date.now() / 1000 - seconds) / 60;
  if (minutes < 1) return "just now";
  if (minutes < 60) return counted(Math.floor(minutes), "minute") + " ago";
  if (minutes < 60 * 24) return counted(Math.floor(minutes / 60), "hour") + " ago";
  if (minutes < 60 * 24 * 14) return counted(Math.floor(minutes / 60 / 24), "day") + " ago";
  return new Date(seconds * 1000).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
}

/** An address with its query. */
export function address(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text ? `${path}?${text}` : path;
}

/** What the address of this page says behind the question mark. */
export const query = new URLSearchParams(location.search);

/** Say something to those who listen to the page. */
export function say(text) {
  document.getElementById("said").textContent = text;
}

/** Show what went wrong, at the top of the page. */
export function complain(error) {
  const main = document.getElementById("main");
  main.querySelector(".trouble")?.remove();
  main.prepend(el("p", { class: "trouble", role: "alert" }, error.message ?? String(error)));
}

/** Say that a page has nothing to show, why, and where to go instead. */
export function nothingHere(heading, error) {
  const reason = error.message ?? String(error);
  fill(document.getElementById("main"), el("div", { class: "empty" }, el("h1", {}, heading),
    el("p", { role: "alert" }, `${reason[0].toUpperCase()}${reason.slice(1)}${/[.!?]$/.test(reason) ? "" : "."}`), el("a", { class: "button main", href: "library" }, "All categories")));
}

/** Take back what `complain` said. */
export function allIsWell() {
  document.querySelector("#main .trouble")?.remove();
}

/** A number with its thousands parted. */
export function count(number) {
  return number.toLocaleString("en-GB");
}

/** A number and what it counts. */
export function counted(number, what, several = `${what}s`) {
  return `${count(number)} ${number === 1 ? what : several}`;
}

/** A share of one in percent, in words that do not promise more than it does. */
export function percent(share) {
  if (share > 0 && share < 0.01) return "under 1%";
  return share < 1 && share > 0.99 ? "over 99%" : `${Math.round(100 * share)}%`;
}

/** Call a function when nothing has happened for a while. */
export function later(milliseconds, act) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...given), milliseconds);
  };
}

/** So many pixels at the usual size of letters; more where the page's letters are larger. */
export function scaled(pixels) {
  return (pixels / 16) * parseFloat(getComputedStyle(document.documentElement).fontSize);
}

/** A colour of the style, such as `--ink`, as it is at this moment in light or dark. */
export function colour(name) {
  const probe = el("span", { hidden: true });
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

/** Whether the page is dark at this moment. */
export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Call a function each time the page becomes light or dark. */
export function onTheme(act) {
  addEventListener("themechange", act);
}

function themeChanged() {
  dispatchEvent(new Event("themechange"));
}

document.getElementById("theme").addEventListener("click", () => {
  const next = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem("priorwise-theme", next);
  say(`The page is ${next} now.`);
  themeChanged();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", themeChanged);
