/* Writing an item: a preview that follows what is typed, and a draft kept on this device until the item is saved.
   <form data-draft="id" data-preview-text="url">. Without scripts, Preview sends the form and shows it again. */
import { forget, load, save } from "./store.js";

const PAUSE_MS = 500;
const PREFIX = "kb-draft-";
const form = () => document.querySelector("form[data-draft]");
const keyOf = (el) => PREFIX + el.dataset.draft;

const fieldsOf = (el) => {
  const skipped = ["csrfmiddlewaretoken", "version", "builds_on", "item", "look"];
  return Object.fromEntries([...new FormData(el)].filter(([name]) => !skipped.includes(name)));
};
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/* ---- draft ----
   It keeps the version it was made of, so that restored it still clashes with what somebody else saved since. */

const MADE_OF = ["version", "builds_on"];
const madeOf = (el) => Object.fromEntries(MADE_OF.map((name) => [name, el.elements.namedItem(name).value]));

const say = (el, text) => {
  const place = el.querySelector("[data-draft-state]");
  if (place) place.textContent = text;
};

let began = null; // what the form held when it was opened

const keep = (el) => {
  const fields = fieldsOf(el);
  if (same(fields, began)) {
    forget(keyOf(el));
    say(el, "");
    return;
  }
  save(keyOf(el), { fields, madeOf: madeOf(el), at: Date.now() });
  say(el, "Draft kept on this device.");
};

const offer = (el) => {
  began = fieldsOf(el);
  const draft = load(keyOf(el));
  const note = el.querySelector("[data-draft-note]");
  if (!draft?.fields || !note || same(draft.fields, began)) return;
  note.querySelector("[data-draft-when]").textContent = `It was written on ${new Date(draft.at).toLocaleString()}.`;
  note.hidden = false;
};

const restore = (el) => {
  const draft = load(keyOf(el));
  for (const [name, value] of Object.entries({ ...draft?.fields, ...draft?.madeOf })) {
    const field = el.elements.namedItem(name);
    if (field) field.value = value;
  }
};

/* ---- preview ---- */

let asked = 0;

const look = async (el) => {
  const mine = ++asked;
  const body = new FormData();
  body.set("content", el.elements.namedItem("content").value);
  const token = document.querySelector("meta[name='csrf-token']")?.content ?? "";
  try {
    const response = await fetch(el.dataset.previewText, { method: "POST", body, headers: { "X-CSRFToken": token } });
    if (!response.ok || response.redirected || mine !== asked) return;
    el.querySelector("[data-look-at]").innerHTML = await response.text();
  } catch {
    /* The last preview stays. */
  }
};

/* ---- events ---- */

let timer = 0;

document.addEventListener("input", (event) => {
  const el = event.target.closest("form[data-draft]");
  if (!el) return;
  clearTimeout(timer);
  timer = setTimeout(() => {
    keep(el);
    if (!el.querySelector("#e-look").hidden) look(el);
  }, PAUSE_MS);
});

document.addEventListener("click", (event) => {
  const el = event.target.closest("form[data-draft]");
  if (!el) return;
  const button = event.target.closest("[data-look]");
  if (button) {
    event.preventDefault();
    const pane = el.querySelector("#e-look");
    pane.hidden = !pane.hidden;
    button.setAttribute("aria-expanded", String(!pane.hidden));
    if (!pane.hidden) look(el);
  }
  if (event.target.closest("[data-draft-restore]")) restore(el);
  if (event.target.closest("[data-draft-discard]")) forget(keyOf(el));
  if (event.target.closest("[data-draft-restore], [data-draft-discard]")) {
    el.querySelector("[data-draft-note]").hidden = true;
  }
});

/* Saved: the answer leads on to the item. */
document.addEventListener("htmx:afterRequest", (event) => {
  const el = event.detail.elt;
  if (el.matches?.("form[data-draft]") && event.detail.xhr.getResponseHeader("HX-Redirect")) {
    clearTimeout(timer);
    forget(keyOf(el));
  }
});

if (form()) offer(form());
