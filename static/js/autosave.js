/* <form data-autosave>: HTMX saves it while one writes. A link that is followed before that is done waits for it;
   leaving any other way with words not saved yet asks first. */

const unsaved = new Set();
let following = "";

document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-autosave]");
  if (form) unsaved.add(form);
});

const formOf = ({ elt }) => {
  const form = elt.form ?? elt;
  return form.matches?.("form[data-autosave]") ? form : null;
};

/* What was typed while a request ran is sent by the next one; only then is all of it saved. */
document.addEventListener("htmx:beforeRequest", (event) => {
  const form = formOf(event.detail);
  if (form) form.sentText = form.elements.text.value;
});

document.addEventListener("htmx:afterRequest", (event) => {
  const form = formOf(event.detail);
  if (!form) return;
  const target = following;
  following = "";
  if (!event.detail.successful || form.sentText !== form.elements.text?.value) return;
  unsaved.delete(form);
  if (target) location.assign(target);
});

const waiting = () => [...unsaved].find((form) => form.isConnected);

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  const form = waiting();
  const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0;
  if (!form || !link || elsewhere || link.target || link.hasAttribute("download")) return;
  if (link.getAttribute("href").startsWith("#")) return;
  if (form.querySelector(".note")) return; // it could not be saved: the browser asks
  event.preventDefault();
  following = link.href;
  form.requestSubmit();
});

document.addEventListener("submit", (event) => {
  if (!event.target.hasAttribute("hx-post")) unsaved.delete(event.target);
});

addEventListener("beforeunload", (event) => {
  if (waiting()) event.preventDefault();
});
