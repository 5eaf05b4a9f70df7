/* <button data-dialog="id"> opens <dialog id>; [data-close] closes the dialog around it. What HTMX loads into #dialog
   opens it: <a href="/presets/new" hx-get="/presets/new" hx-target="#dialog">, a plain link without scripts.
   showModal() keeps focus inside; on closing it goes back to the opener, or to the button of the menu it was in. */

const openers = new WeakMap();

const openerThatStays = (button) => {
  const menu = button.closest("[popover]");
  return menu?.id ? document.querySelector(`[popovertarget="${CSS.escape(menu.id)}"]`) ?? button : button;
};

export const openDialog = (id, opener = document.activeElement) => {
  const dialog = document.getElementById(id);
  if (!dialog || dialog.open) return;
  openers.set(dialog, opener && openerThatStays(opener));
  opener?.closest?.("[popover]")?.hidePopover?.();
  dialog.showModal();
};

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-dialog]");
  if (opener) {
    event.preventDefault();
    openDialog(opener.dataset.dialog, opener);
    return;
  }
  const dialog = event.target.closest("[data-close]")?.closest("dialog");
  if (!dialog) return;
  event.preventDefault(); // without a dialog around it, it is a link back
  dialog.close();
});

let loader = null;
document.addEventListener("htmx:beforeRequest", (event) => {
  const { target, elt } = event.detail;
  if (target?.id === "dialog" && !target.open) loader = elt;
});
document.addEventListener("htmx:afterSwap", (event) => {
  const dialog = event.detail.target; // none when a page comes back from history
  if (dialog?.id !== "dialog" || !dialog.childElementCount) return;
  openDialog("dialog", loader ?? document.activeElement);
  dialog.querySelector("[autofocus]")?.focus();
});

/* "close" does not bubble. */
document.addEventListener("close", (event) => {
  const opener = openers.get(event.target);
  // What was swapped meanwhile stands there again under its id.
  (opener?.isConnected ? opener : opener?.id && document.getElementById(opener.id))?.focus();
  openers.delete(event.target);
}, true);

/* A dialog whose form was accepted closes: the answer carries HX-Trigger: {"closeDialog": "save-preset"}. */
document.addEventListener("closeDialog", (event) => {
  document.getElementById(event.detail?.value ?? event.detail)?.close();
});
