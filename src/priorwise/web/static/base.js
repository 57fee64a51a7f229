// What every page needs: elements, requests, words for screen readers, light and dark.

/** Make an element. Strings become text, never markup; a property that is a function listens to that event. */
export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name, value);
    else if (name === "dataset") Object.assign(node.dataset, value);
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Replace what is in an element. */
export function fill(node, ...children) {
  node.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
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
  } catch (error) {
    if (error.name === "AbortError") throw error;
    const lost = new Error("The server does not answer. Is the command still running?");
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

/** Call a function when nothing has happened for a while. */
export function later(milliseconds, act) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...given), milliseconds);
  };
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
