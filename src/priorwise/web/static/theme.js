// Loaded before the page is drawn, so that a dark page is never light first.
const chosen = localStorage.getItem("priorwise-theme");
if (chosen === "light" || chosen === "dark") {
  document.documentElement.dataset.theme = chosen;
}
