/* A request that failed is said in a note beside what asked for it, in words of what happened and what to do.
   Nothing on the page is replaced, so nothing typed is lost. The note goes when the next try works. */

const notes = new Map(); // element that asked → its note

/* HTMX tells of some failures on the target; who asked stands in the request. */
const askerOf = ({ requestConfig, elt }) => requestConfig?.elt ?? elt;

const WORDS = {
  401: ["You are signed out", "Sign in in another tab, then try again here. Your text is kept."],
  403: ["You may not do this", "Your role does not allow it, or the page is old. Load it again."],
  404: ["This is not here any more", "Someone may have removed it. Load the page again."],
  409: ["Someone else changed this", "Load the page in another tab to compare. Your text is kept."],
  503: ["The hub cannot answer just now", "What you entered is still here. Try again shortly."],
  413: ["This is too large", "Send less at once, or a smaller file."],
};

const later = (seconds) => (seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`);

const tooMany = (xhr) => {
  const wait = Number.parseInt(xhr.getResponseHeader("Retry-After") ?? "", 10);
  return ["Too many requests", wait > 0 ? `You can go on in ${later(wait)}.` : "Wait a little, then try again."];
};

const words = (xhr) => {
  if (!navigator.onLine) return ["You are offline", "What is on the page stays. Try again when you are connected."];
  const status = xhr?.status ?? 0;
  if (status === 429) return tooMany(xhr);
  if (WORDS[status]) return WORDS[status];
  if (status >= 500) return ["Something broke on our side", "What you entered is still here."];
  if (status >= 400) return ["The hub could not read this request", "Check what you entered, then try again."];
  return ["The server did not answer", "What you entered is still here."];
};

const place = (asker, target, note) => {
  const form = asker.closest("form");
  const host = form?.querySelector(".dialog__body") ?? (form && form.id !== "filters" ? form : null);
  if (host) host.prepend(note);
  else if (asker.closest(".more")) asker.closest(".more").prepend(note);
  else (target?.isConnected ? target : document.getElementById("main")).before(note);
};

const clear = (asker) => {
  notes.get(asker)?.remove();
  notes.delete(asker);
};

const retry = (asker, config) => {
  clear(asker);
  if (asker.matches("form")) asker.requestSubmit();
  else window.htmx.trigger(asker, config?.triggeringEvent?.type ?? "click");
};

/* An answer that says how to swap it (HX-Reswap) is the page's own words for what went wrong. */
const speaksForItself = (xhr) => Boolean(xhr?.getResponseHeader("HX-Reswap"));

document.addEventListener("htmx:beforeSwap", (event) => {
  if (speaksForItself(event.detail.xhr)) event.detail.shouldSwap = true;
});

const report = (event) => {
  const { xhr, target, requestConfig } = event.detail;
  const asker = askerOf(event.detail);
  const template = document.getElementById("problem-template");
  if (!template || asker.hasAttribute("data-quiet") || speaksForItself(xhr)) return;
  clear(asker);
  const [what, then] = words(xhr);
  const note = template.content.firstElementChild.cloneNode(true);
  note.querySelector("[data-problem-what]").textContent = what;
  note.querySelector("[data-problem-then]").textContent = then;
  note.querySelector("[data-problem-retry]").addEventListener("click", () => retry(asker, requestConfig));
  place(asker, target, note);
  notes.set(asker, note);
};

for (const type of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) document.addEventListener(type, report);

document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.successful) clear(askerOf(event.detail));
});
