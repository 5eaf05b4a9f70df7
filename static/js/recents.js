/* Recent searches in this browser (`kb-recent-searches`), newest first: a copy of the user's list on the server, shown
   when the server does not answer. */
import { forget, load, save } from "./store.js";

const KEY = "kb-recent-searches";
const MOST = 10;

export const recents = () => {
  const kept = load(KEY, []);
  return Array.isArray(kept) ? kept.filter((words) => typeof words === "string") : [];
};

export const remember = (words) => {
  const text = words.trim();
  if (!text) return;
  const others = recents().filter((kept) => kept.toLowerCase() !== text.toLowerCase());
  save(KEY, [text, ...others].slice(0, MOST));
};

export const replaceAll = (list) => save(KEY, list.slice(0, MOST));

export const forgetAll = () => forget(KEY);
