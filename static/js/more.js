/* "Load more" pressed by keyboard: focus goes on to the first of the new items, not to the end of them. */

const LISTS = "#cards, #rows, #hits";
let last = null; // the last item before the answer, when focus was on the link

document.addEventListener("htmx:beforeSwap", (event) => {
  const more = event.detail.target;
  if (!more?.matches?.(".more")) return;
  last = more.contains(document.activeElement) ? document.querySelector(LISTS)?.lastElementChild : null;
});

document.addEventListener("htmx:afterSettle", () => {
  last?.nextElementSibling?.querySelector("a[href]")?.focus({ preventScroll: true });
  last = null;
});
