/* Cards or rows, sketches shown or hidden: remembered in this browser, and in cookies for the server,
   so the page is right from its first byte. `kb-view-mode` is cards|rows, `kb-hide-thumbnails` is true|false. */
import { getCookie, setCookie } from "./cookie.js";
import { load, save } from "./store.js";

const remember = (key, value) => {
  save(key, value);
  setCookie(key, value);
};

/* Cookies were cleared, the browser's storage was not: the next page is right again. */
for (const key of ["kb-view-mode", "kb-hide-thumbnails"]) {
  const kept = load(key);
  if (kept !== null && getCookie(key) === null) setCookie(key, kept);
}

/* Capture: the cookie must be set before HTMX sends the request of the same click. */
document.addEventListener("click", (event) => {
  const mode = event.target.closest("[data-view-mode]");
  if (mode) remember("kb-view-mode", mode.dataset.viewMode);

  const toggle = event.target.closest("[data-thumbnails]");
  if (!toggle) return;
  const show = toggle.getAttribute("aria-pressed") !== "true";
  toggle.setAttribute("aria-pressed", String(show));
  remember("kb-hide-thumbnails", !show);
  for (const list of document.querySelectorAll(".cards")) {
    if (show) delete list.dataset.thumbs;
    else list.dataset.thumbs = "off";
  }
}, true);
