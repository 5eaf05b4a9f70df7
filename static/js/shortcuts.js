/* "/" search, "?" list of shortcuts, Ctrl+Enter sends the form around a text area.
   Single keys work outside fields only, never while an input method composes, nor with <body data-shortcuts="off">. */
import { openDialog } from "./dialogs.js";

const FIELDS = "input, textarea, select, dialog, [contenteditable]:not([contenteditable='false'])";

const searchField = () =>
  document.querySelector(".searchbar input[role='combobox']") ?? document.querySelector(".searchbar input[name='q']");

const single = {
  "/": () => {
    const field = searchField();
    field?.focus();
    field?.select();
    return Boolean(field);
  },
  "?": () => {
    openDialog("shortcuts");
    return Boolean(document.getElementById("shortcuts"));
  },
};

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.keyCode === 229) return;

  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches?.("textarea")) {
    if (!event.target.form) return;
    event.preventDefault();
    event.target.form.requestSubmit();
    return;
  }

  const action = Object.hasOwn(single, event.key) ? single[event.key] : null;
  if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.body.dataset.shortcuts === "off" || event.target.closest?.(FIELDS)) return;
  if (action()) event.preventDefault();
});

/* The switch in settings; its cookie is set by the server. */
document.addEventListener("change", (event) => {
  if (!event.target.matches("[data-shortcuts-choice]")) return;
  if (event.target.checked) delete document.body.dataset.shortcuts;
  else document.body.dataset.shortcuts = "off";
});
