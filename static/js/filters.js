/* The filter panel: every change asks for the results, empty fields stay out of the URL, groups stay as they were
   opened, and the small-screen sheet closes when it is sent or when the window grows past 62rem. */

const form = () => document.getElementById("filters");
const wide = matchMedia("(min-width: 62rem)");
const TYPING_MS = 400;
let timer = 0;

const send = () => {
  clearTimeout(timer);
  form()?.requestSubmit();
};

document.addEventListener("change", (event) => {
  const panel = event.target.closest("#filters");
  if (!panel) return;
  clearTimeout(timer);
  timer = setTimeout(send, event.target.matches("[type='date'], [type='text'], [type='number']") ? TYPING_MS : 0);
});

/* The sort menu lives in the toolbar but belongs to the form: <select form="filters" name="sort">. */
document.addEventListener("change", (event) => {
  if (event.target.form?.id === "filters" && !event.target.closest("#filters")) send();
});

/* Both the browser and HTMX read the form through this event. */
document.addEventListener("formdata", (event) => {
  if (event.target.id !== "filters") return;
  const kept = [...event.formData].filter(([, value]) => value !== "");
  for (const name of new Set([...event.formData.keys()])) event.formData.delete(name);
  for (const [name, value] of kept) event.formData.append(name, value);
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-filters-apply]")) form()?.hidePopover?.();

  const opener = event.target.closest("[data-filters-at]");
  const group = opener && form()?.querySelector(`[data-facet="${CSS.escape(opener.dataset.filtersAt)}"]`);
  if (!group) return;
  if (!wide.matches) form().showPopover();
  group.open = true;
  group.querySelector("summary").focus();
});

wide.addEventListener("change", () => {
  if (wide.matches && form()?.matches(":popover-open")) form().hidePopover();
});

/* New counts arrive out of band; which groups are open, and how far the list was scrolled, is the reader's. */
const opened = new Map();
let scrolled = [0, 0];

document.addEventListener("htmx:oobBeforeSwap", (event) => {
  const panel = event.detail.target;
  if (panel?.id !== "filters") return;
  for (const group of panel.querySelectorAll("details[data-facet]")) opened.set(group.dataset.facet, group.open);
  scrolled = [panel.scrollTop, panel.querySelector(".filters__body")?.scrollTop ?? 0];
});

document.addEventListener("htmx:oobAfterSwap", (event) => {
  const panel = event.detail.target;
  if (panel?.id !== "filters") return;
  for (const group of panel.querySelectorAll("details[data-facet]")) {
    if (opened.has(group.dataset.facet)) group.open = opened.get(group.dataset.facet);
  }
  panel.scrollTop = scrolled[0];
  const body = panel.querySelector(".filters__body");
  if (body) body.scrollTop = scrolled[1];
});
