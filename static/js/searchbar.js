/* The inline search bar: a WAI-ARIA combobox with list autocomplete and manual selection. Focus never leaves the input.
   The list's rows come as HTML from data-preview-url (components/_suggestions.html). From three characters on the page
   asks for a preview; with one or two it keeps quiet; with none it shows recent searches and popular topics. */
import { announce } from "./live.js";
import { Preview } from "./preview.js";
import { forgetAll, recents, remember, replaceAll } from "./recents.js";

const DEBOUNCE_MS = 300;
const SLOW_MS = 300;
const LEAST = 3;

class SearchBar {
  constructor(form) {
    this.form = form;
    this.input = form.querySelector("[role='combobox']");
    this.box = form.querySelector(".combo");
    this.list = form.querySelector("[role='listbox']");
    this.foot = form.querySelector(".combo__foot");
    this.preview = new Preview(form.dataset.previewUrl);
    this.active = null;
    this.debounce = 0;
    this.slow = 0;
    this.shown = null; // the words the rows belong to
    this.listen();
    this.showClear();
  }

  listen() {
    const { form, input } = this;
    input.addEventListener("focus", () => this.refresh());
    input.addEventListener("pointerdown", () => {
      if (!this.isOpen && document.activeElement === input) this.refresh();
    });
    input.addEventListener("input", (event) => {
      if (!event.isComposing) this.typed();
    });
    input.addEventListener("compositionstart", () => clearTimeout(this.debounce)); // asked when it ends
    input.addEventListener("compositionend", () => this.typed());
    input.addEventListener("keydown", (event) => this.key(event));
    form.addEventListener("submit", () => this.submitted());
    form.addEventListener("focusout", (event) => {
      if (!form.contains(event.relatedTarget)) this.close();
    });
    form.addEventListener("reset", (event) => {
      event.preventDefault();
      this.clear();
    });
    this.box.addEventListener("mousedown", (event) => event.preventDefault()); // focus stays in the input
    this.box.addEventListener("click", (event) => this.clicked(event));
    addEventListener("pageshow", (event) => {
      if (event.persisted) this.close();
    });
  }

  get words() { return this.input.value.trim(); }
  get isOpen() { return !this.box.hidden; }
  get options() {
    const rows = this.list.querySelectorAll("[role='option']:not([aria-disabled='true'])");
    return [...rows].filter((row) => row.getClientRects().length > 0);
  }

  /* ---- what to show ---- */

  typed() {
    this.showClear();
    this.setActive(null);
    clearTimeout(this.debounce);
    this.stopWaiting();
    this.preview.cancel();
    const words = this.words;
    if (words.length > 0 && words.length < LEAST) {
      if (this.shown) this.close();
    } else if (this.preview.fresh(words) !== null) {
      this.refresh();
    } else {
      this.debounce = setTimeout(() => this.refresh(), words ? DEBOUNCE_MS : 0);
    }
  }

  async refresh() {
    clearTimeout(this.debounce);
    const words = this.words;
    if (words.length > 0 && words.length < LEAST) return;
    this.startWaiting(words);
    const html = await this.preview.ask(words);
    if (html === undefined) return; // overtaken
    this.stopWaiting();
    if (document.activeElement !== this.input || words !== this.words) return;
    if (html === null) this.stale(words);
    else this.render(words, html);
  }

  render(words, html) {
    const answer = new DOMParser().parseFromString(html, "text/html");
    const list = answer.querySelector("[role='listbox']");
    if (!list) {
      this.stale(words);
      return;
    }
    const known = this.shown === words && this.list.childElementCount > 0;
    this.setActive(null);
    this.list.replaceChildren(...list.childNodes);
    this.aim(words);
    this.follow(list.dataset.recents);
    this.foot.replaceChildren(...(answer.querySelector(".combo__foot")?.childNodes ?? []));
    this.shown = words;
    if (this.list.childElementCount === 0) {
      this.close();
      return;
    }
    this.open();
    if (!known && words) announce(list.dataset.live);
  }

  /* No answer: the rows stay, their heading still names the words they were made for, "see all" names the new ones. */
  stale(words) {
    if (!words && !this.list.childElementCount) this.addLocalRecents();
    if (!this.list.childElementCount) return;
    for (const count of this.list.querySelectorAll("[data-count]")) count.hidden = true;
    this.aim(words);
    this.open();
  }

  /* The server's list of recent searches is the one that counts: cleared elsewhere, it is cleared here. */
  follow(json) {
    const all = JSON.parse(json || "null");
    if (all) replaceAll(all);
  }

  /* Searches go with the filters that are on now, not with those of when the page was made. */
  aim(words) {
    for (const row of this.list.querySelectorAll("[data-search]:not([data-see-all])")) {
      row.href = this.searchUrl(row.dataset.search);
    }
    for (const row of this.list.querySelectorAll("[data-see-all]")) {
      row.href = this.searchUrl(words);
      row.querySelector("[data-words]").textContent = words;
    }
  }

  addLocalRecents() {
    const template = this.form.querySelector("template[data-recents]");
    const kept = recents();
    if (!template || !kept.length || this.list.querySelector("[data-recent]")) return;
    const group = template.content.firstElementChild.cloneNode(true);
    const row = group.querySelector("[role='option']");
    row.remove();
    kept.slice(0, 5).forEach((words, index) => {
      const copy = row.cloneNode(true);
      copy.id = `${this.list.id}-kept-${index}`;
      copy.href = this.searchUrl(words);
      copy.dataset.search = words;
      copy.querySelector(".option__title").textContent = words;
      group.append(copy);
    });
    this.list.prepend(group);
  }

  searchUrl(words) {
    const url = new URL(this.form.action, location.href);
    for (const [name, value] of new FormData(this.form)) {
      if (name !== "q" && value) url.searchParams.append(name, value);
    }
    url.searchParams.set("q", words);
    return url.href;
  }

  /* ---- waiting ---- */

  startWaiting(words) {
    this.stopWaiting();
    if (this.preview.fresh(words) !== null) return;
    this.list.setAttribute("aria-busy", "true");
    this.box.setAttribute("aria-busy", "true");
    this.slow = setTimeout(() => this.skeleton(words), SLOW_MS);
  }

  stopWaiting() {
    clearTimeout(this.slow);
    this.list.removeAttribute("aria-busy");
    this.box.removeAttribute("aria-busy");
    this.list.querySelector("[data-skeleton-shown]")?.remove();
  }

  /* Only where no preview stands yet: rows already shown stay until better ones come. */
  skeleton(words) {
    const template = this.form.querySelector("template[data-skeleton]");
    if (!words || this.shown || !template) return;
    const group = template.content.firstElementChild.cloneNode(true);
    group.querySelector("[data-words]").textContent = words;
    this.list.append(group);
    this.open();
  }

  /* ---- open and closed ---- */

  open() {
    if (document.activeElement !== this.input) return;
    this.box.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
  }

  close() {
    clearTimeout(this.debounce);
    this.preview.cancel();
    this.stopWaiting();
    this.setActive(null);
    this.box.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
  }

  clear() {
    this.input.value = "";
    this.input.focus();
    this.typed();
  }

  showClear() {
    const empty = !this.input.value;
    this.form.querySelector("[data-search-clear]").hidden = empty;
    this.form.querySelector(".searchbar__box .kbd").hidden = !empty;
  }

  /* ---- keys ---- */

  key(event) {
    if (event.isComposing || event.keyCode === 229) return;
    switch (event.key) {
      case "ArrowDown":
      case "ArrowUp":
        if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        if (this.isOpen) this.move(event.key === "ArrowDown" ? 1 : -1);
        else this.refresh();
        break;
      case "Enter":
        if (!this.active) return; // the form is sent
        event.preventDefault();
        this.active.click();
        break;
      case "Escape":
        if (!this.isOpen && !this.input.value) return;
        event.preventDefault();
        if (this.isOpen) this.close();
        else {
          this.input.value = "";
          this.showClear();
        }
        break;
      case "Tab":
        this.close();
        break;
      case "Home":
      case "End":
      case "ArrowLeft":
      case "ArrowRight":
        this.setActive(null); // they edit the text
        break;
      default:
    }
  }

  move(step) {
    const rows = this.options;
    if (!rows.length) return;
    const at = rows.indexOf(this.active);
    const next = at === -1 ? (step > 0 ? 0 : rows.length - 1) : (at + step + rows.length) % rows.length;
    this.setActive(rows[next]);
  }

  setActive(row) {
    this.active?.setAttribute("aria-selected", "false");
    this.active = row;
    if (!row) {
      this.input.removeAttribute("aria-activedescendant");
      return;
    }
    row.setAttribute("aria-selected", "true");
    row.scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", row.id);
  }

  /* ---- choosing ---- */

  submitted() {
    remember(this.words);
    this.close();
  }

  async clicked(event) {
    const button = event.target.closest("[data-clear-recents]");
    if (button) {
      await this.clearRecents(button.dataset.clearRecents);
      return;
    }
    const row = event.target.closest("[role='option']");
    if (!row) return;
    if (row.hasAttribute("data-search")) remember(new URL(row.href, location.href).searchParams.get("q") ?? "");
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) this.close();
  }

  async clearRecents(url) {
    forgetAll();
    const token = document.querySelector("meta[name='csrf-token']")?.content ?? "";
    try {
      const response = await fetch(url, { method: "POST", headers: { "X-CSRFToken": token, "X-Requested-With": "fetch" } });
      if (!response.ok) return;
    } catch {
      return; // the list stays as the server has it
    }
    this.preview.clear();
    announce("Recent searches cleared");
    await this.refresh();
  }
}

const bars = new WeakSet();
const start = (root) => {
  for (const form of root.querySelectorAll("form[data-preview-url]")) {
    if (bars.has(form)) continue;
    bars.add(form);
    new SearchBar(form);
  }
};
start(document);
document.addEventListener("htmx:afterSettle", (event) => start(event.target));
document.addEventListener("htmx:historyRestore", () => start(document));
