/* While a request runs: aria-busy on the region it will change and on the button that asked; after 300 ms an empty
   region shows its skeleton (<template data-skeleton> inside it). What is already shown is never covered. */

import { getCookie } from "./cookie.js";

const SLOW_MS = 300;
const running = new Map(); // request → { region, button, timer }

/* Signing in anew, in another tab, changes it: what this page was given is old then. */
const csrfToken = () => getCookie("csrftoken") ?? document.querySelector("meta[name='csrf-token']")?.content ?? "";
const isSafe = (verb) => /^(get|head|options|trace)$/i.test(verb);

document.addEventListener("htmx:configRequest", (event) => {
  const { verb, headers, parameters } = event.detail;
  if (isSafe(verb)) return;
  headers["X-CSRFToken"] = csrfToken();
  if (parameters.csrfmiddlewaretoken) parameters.csrfmiddlewaretoken = csrfToken();
});

const showSkeleton = (region) => {
  const template = region.querySelector(":scope > template[data-skeleton]");
  if (!template || region.querySelector(":scope > :not(template)")) return;
  const shown = document.createElement("div");
  shown.dataset.skeletonShown = "";
  shown.append(template.content.cloneNode(true));
  region.append(shown);
};

const buttonOf = (event) => {
  const { elt, triggeringEvent } = event.detail.requestConfig;
  if (elt.matches("button, .btn")) return elt;
  return triggeringEvent?.submitter ?? elt.querySelector(":scope > .btn");
};

document.addEventListener("htmx:beforeSend", (event) => {
  const { xhr, target: region } = event.detail;
  const button = buttonOf(event);
  region.setAttribute("aria-busy", "true");
  button?.setAttribute("aria-busy", "true");
  running.set(xhr, { region, button, timer: setTimeout(() => showSkeleton(region), SLOW_MS) });
});

const done = (event) => {
  const entry = running.get(event.detail.xhr);
  if (!entry) return;
  running.delete(event.detail.xhr);
  clearTimeout(entry.timer);
  entry.region.querySelector(":scope > [data-skeleton-shown]")?.remove();
  entry.button?.removeAttribute("aria-busy");
  const stillBusy = [...running.values()].some(({ region }) => region === entry.region);
  if (!stillBusy) entry.region.removeAttribute("aria-busy");
};
document.addEventListener("htmx:beforeSwap", done);
document.addEventListener("htmx:afterRequest", done);

/* Plain forms that change something: the button cannot be pressed twice. Coming back frees it. */
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || form.hasAttribute("data-download")) return;
  queueMicrotask(() => {
    if (!event.defaultPrevented) event.submitter?.setAttribute("aria-busy", "true");
  });
});

addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  for (const el of document.querySelectorAll("[aria-busy='true']")) el.removeAttribute("aria-busy");
});
