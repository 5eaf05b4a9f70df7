/* <button data-dialog="id"> opens <dialog id>; [data-close] closes the dialog around it.
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
  event.target.closest("[data-close]")?.closest("dialog")?.close();
});

/* "close" does not bubble. */
document.addEventListener("close", (event) => {
  const opener = openers.get(event.target);
  if (opener?.isConnected) opener.focus();
  openers.delete(event.target);
}, true);

/* A dialog whose form was accepted closes: the answer carries HX-Trigger: {"closeDialog": "save-preset"}. */
document.addEventListener("closeDialog", (event) => {
  document.getElementById(event.detail?.value ?? event.detail)?.close();
});
