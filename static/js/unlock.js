/* A button that waits for a limit to pass unlocks itself: <button disabled data-unlock-after="18"> (seconds). */

const unlockLater = (button) => {
  setTimeout(() => {
    button.disabled = false;
  }, Number(button.dataset.unlockAfter) * 1000);
};

const unlockAll = (root) => root.querySelectorAll("[data-unlock-after]:disabled").forEach(unlockLater);

unlockAll(document);
document.addEventListener("htmx:afterSettle", (event) => unlockAll(event.target));
