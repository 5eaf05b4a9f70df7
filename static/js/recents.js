/* Recent searches of this browser (`kb-recent-searches`), newest first. The server keeps its own for the user;
   these fill in when it has none to show. */
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

export const forgetAll = () => forget(KEY);
