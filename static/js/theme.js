/* Light, dark, or what the system says. The cookie `kb-theme` is light|dark; the server renders <html data-theme>. */
import { setCookie } from "./cookie.js";

const root = document.documentElement;
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

const current = () => root.dataset.theme || (systemIsDark.matches ? "dark" : "light");

const setTheme = (theme) => {
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  else delete root.dataset.theme;
  setCookie("kb-theme", theme);
};

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-theme-toggle]")) setTheme(current() === "dark" ? "light" : "dark");
});

/* Radios in settings: light, dark, system. */
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-theme-choice]")) setTheme(event.target.value);
});
