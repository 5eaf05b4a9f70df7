/* The hub's behaviour, one module each. Every page works without them; they make it quicker and kinder.
   Modules listen on the document, so what HTMX swaps in needs no set-up of its own. */
import "./theme.js";
import "./busy.js";
import "./problems.js";
import "./unlock.js";
import "./live.js";
import "./toasts.js";
import "./dialogs.js";
import "./shortcuts.js";
import "./jump.js";
import "./searchbar.js";
import "./filters.js";
import "./view.js";
import "./more.js";
import "./copy.js";
import "./editor.js";
