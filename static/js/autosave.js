/* <form data-autosave>: HTMX saves it while one writes. Leaving with words not saved yet asks first. */

const unsaved = new Set();

document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-autosave]");
  if (form) unsaved.add(form);
});

/* What was typed while a request ran is sent by the next one; only then is all of it saved. */
document.addEventListener("htmx:beforeRequest", (event) => {
  const form = event.detail.elt.form ?? event.detail.elt;
  if (form.matches?.("form[data-autosave]")) form.sentText = form.elements.text.value;
});

document.addEventListener("htmx:afterRequest", (event) => {
  const form = event.detail.elt.form ?? event.detail.elt;
  if (event.detail.successful && form.sentText === form.elements?.text?.value) unsaved.delete(form);
});

document.addEventListener("submit", (event) => {
  if (!event.target.hasAttribute("hx-post")) unsaved.delete(event.target);
});

addEventListener("beforeunload", (event) => {
  if ([...unsaved].some((form) => form.isConnected)) event.preventDefault();
});
