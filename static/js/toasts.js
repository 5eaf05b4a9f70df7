/* Toasts report what was just done. They come from the server (out-of-band, or as Django messages), or from toast().
   One with an action waits to be dismissed; the others leave after eight seconds, unless pointed at or focused. */

const STAY_MS = 8000;
const timers = new WeakMap();

const leaveLater = (toast) => {
  clearTimeout(timers.get(toast));
  if (toast.querySelector("[data-toast-action]")) return;
  timers.set(toast, setTimeout(() => toast.remove(), STAY_MS));
};

export const toast = (text) => {
  const box = document.getElementById("toasts");
  const template = document.getElementById("toast-template");
  if (!box || !template) return;
  const node = template.content.firstElementChild.cloneNode(true);
  node.querySelector("[data-toast-text]").textContent = text;
  box.append(node);
};

const watch = (box) => {
  box.querySelectorAll(".toast").forEach(leaveLater);
  new MutationObserver((changes) => {
    for (const change of changes) {
      for (const node of change.addedNodes) if (node.matches?.(".toast")) leaveLater(node);
    }
  }).observe(box, { childList: true });

  for (const type of ["pointerenter", "focusin"]) {
    box.addEventListener(type, () => box.querySelectorAll(".toast").forEach((el) => clearTimeout(timers.get(el))));
  }
  for (const type of ["pointerleave", "focusout"]) {
    box.addEventListener(type, () => box.querySelectorAll(".toast").forEach(leaveLater));
  }
};

const box = document.getElementById("toasts");
if (box) watch(box);

document.addEventListener("click", (event) => {
  event.target.closest("[data-dismiss]")?.closest(".toast, .note")?.remove();
});

/* HX-Trigger: {"toast": "Link copied."} */
document.addEventListener("toast", (event) => toast(event.detail?.value ?? event.detail));
