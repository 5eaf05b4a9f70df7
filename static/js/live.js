/* The polite live region: result counts, never keystrokes or skeletons. */

export const announce = (text) => {
  const region = document.getElementById("live");
  if (!region || !text) return;
  region.textContent = ""; // the same words twice are announced twice
  requestAnimationFrame(() => {
    region.textContent = text;
  });
};

/* A swapped region says what it holds: <section id="results" data-live="86 items">. */
document.addEventListener("htmx:afterSettle", (event) => {
  const region = event.target.closest?.("[data-live]");
  if (region) announce(region.dataset.live);
});
