/* Jump to any page: Ctrl-K. Where all of the hub is one page of the index, that is loaded once and matched here;
   a larger hub is asked for each word. Titles first, then tags, then descriptions; the newest first among equals. */
import { openDialog } from "./dialogs.js";

const SHOWN = 30;
const DEBOUNCE_MS = 120;
const LOADED_MS = 60_000; // then the browser asks whether anything changed

const dialog = document.getElementById("jump");
const input = dialog?.querySelector("input");
const list = dialog?.querySelector("[role='listbox']");
const said = dialog?.querySelector("[role='status']");

const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ").trim();

let index = null; // entries with their folded words; null where the hub is too large for that
let loaded = 0;
let loading = null;
let asked = 0;
let abort = null;
let timer = 0;
let active = null;

const load = async () => {
  const response = await fetch(dialog.dataset.index, { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(String(response.status));
  const whole = !/rel="next"/.test(response.headers.get("Link") ?? "");
  index = whole ? (await response.json()).map(prepared) : null;
  loaded = Date.now();
};

const prepared = (entry) => ({
  ...entry,
  name: fold(entry.title),
  labels: entry.tags.map(fold),
  text: fold(entry.description),
});

/* Lower is better, as in core/navigation.py. */
const merit = (entry, phrase, words) => {
  if (entry.name === phrase) return 0;
  if (entry.name.startsWith(phrase)) return 1;
  if (entry.name.includes(` ${phrase}`)) return 2;
  if (words.every((word) => entry.name.includes(word))) return 3;
  if (entry.labels.includes(phrase)) return 4;
  const tagged = `${entry.name} ${entry.labels.join(" ")}`;
  if (words.every((word) => tagged.includes(word))) return 5;
  return words.every((word) => `${tagged} ${entry.text}`.includes(word)) ? 6 : -1;
};

const newest = (a, b) => (a.date < b.date ? 1 : a.date > b.date ? -1 : 0);

const matched = (phrase) => {
  if (!phrase) return [...index].sort(newest).slice(0, SHOWN);
  const words = phrase.split(" ");
  const found = [];
  for (const entry of index) {
    const rank = merit(entry, phrase, words);
    if (rank >= 0) found.push([rank, entry]);
  }
  return found.sort((a, b) => a[0] - b[0] || newest(a[1], b[1])).slice(0, SHOWN).map(([, entry]) => entry);
};

const asking = async (words) => {
  abort?.abort();
  abort = new AbortController();
  const url = new URL(dialog.dataset.find, location.href);
  url.searchParams.set("q", words);
  const response = await fetch(url, { headers: { Accept: "application/json" }, signal: abort.signal });
  if (!response.ok) throw new Error(String(response.status));
  return (await response.json()).results;
};

const refresh = async () => {
  const mine = (asked += 1);
  const words = input.value.trim().slice(0, Number(input.maxLength));
  try {
    if (Date.now() - loaded > LOADED_MS) await (loading ??= load().finally(() => { loading = null; }));
    if (mine !== asked) return;
    const found = index ? matched(fold(words)) : await asking(words);
    if (mine === asked) render(found, words);
  } catch (error) {
    if (mine === asked && error.name !== "AbortError") said.textContent = "The list could not be loaded. Try again shortly.";
  }
};

const marked = (node, title, words) => {
  const at = words ? title.toLowerCase().indexOf(words.toLowerCase()) : -1;
  if (at < 0) {
    node.textContent = title;
    return;
  }
  const mark = document.createElement("mark");
  mark.textContent = title.slice(at, at + words.length);
  node.replaceChildren(title.slice(0, at), mark, title.slice(at + words.length));
};

const row = (entry, place, words) => {
  const template = dialog.querySelector(`template[data-section="${CSS.escape(entry.section)}"]`)
    ?? dialog.querySelector("template[data-section='library']");
  const option = template.content.firstElementChild.cloneNode(true);
  option.id = `jump-${place}`;
  option.href = entry.href;
  marked(option.querySelector(".option__title"), entry.title, words);
  option.querySelector(".option__side").textContent = entry.sectionLabel;
  return option;
};

const render = (found, words) => {
  list.replaceChildren(...found.map((entry, place) => row(entry, place, words)));
  setActive(list.firstElementChild);
  const count = found.length === SHOWN ? `The first ${SHOWN}` : `${found.length} page${found.length === 1 ? "" : "s"}`;
  if (words) said.textContent = found.length ? `${count} for ${words}` : "No title, tag or description has these words";
  else said.textContent = found.length ? "Changed lately" : "Nothing is here yet";
};

const setActive = (option) => {
  active?.setAttribute("aria-selected", "false");
  active = option;
  if (!option) {
    input.removeAttribute("aria-activedescendant");
    return;
  }
  option.setAttribute("aria-selected", "true");
  option.scrollIntoView({ block: "nearest" });
  input.setAttribute("aria-activedescendant", option.id);
};

const move = (step) => {
  const rows = [...list.children];
  if (rows.length) setActive(rows[(rows.indexOf(active) + step + rows.length) % rows.length]);
};

const key = (event) => {
  if (event.isComposing || event.keyCode === 229) return;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    move(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Enter") {
    event.preventDefault();
    active?.click();
  }
};

if (dialog) {
  input.addEventListener("focus", refresh);
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(refresh, index ? 0 : DEBOUNCE_MS);
  });
  input.addEventListener("keydown", key);
  list.addEventListener("mousedown", (event) => event.preventDefault()); // focus stays in the input
  list.addEventListener("click", (event) => {
    if (!event.ctrlKey && !event.metaKey) dialog.close();
  });
  dialog.addEventListener("close", () => {
    clearTimeout(timer);
    abort?.abort();
    asked += 1;
    input.value = "";
  });
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey || event.shiftKey) return;
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k") return;
    if (document.querySelector("dialog[open]") && !dialog.open) return;
    event.preventDefault();
    if (dialog.open) dialog.close();
    else openDialog("jump");
  });
}
