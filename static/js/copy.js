/* <button data-copy="#answer"> copies that element's text, <button data-copy-text="…"> the text it carries. */
import { toast } from "./toasts.js";

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy], [data-copy-text]");
  if (!button) return;
  const text = button.dataset.copyText ?? document.querySelector(button.dataset.copy)?.innerText ?? "";
  try {
    await navigator.clipboard.writeText(text);
    toast(button.dataset.copied || "Copied.");
  } catch {
    const source = button.dataset.copy && document.querySelector(button.dataset.copy);
    if (source) getSelection().selectAllChildren(source);
    toast("This browser does not let the page copy. The text is selected: press Ctrl+C.");
  }
});
