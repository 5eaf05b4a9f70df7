/* Asks the server for the rows of a search bar's list. One question at a time: a newer one aborts the older, an answer
   out of order is dropped, and an answer is reused for 30 s. Never throws; `null` means "keep what you have". */

const FRESH_MS = 30_000;
const MOST = 50;

export class Preview {
  #url;
  #answers = new Map(); // words → { html, at }
  #asked = 0;
  #abort = null;
  #pausedUntil = 0;

  constructor(url) {
    this.#url = url;
  }

  /** The answer to `words` if it is younger than 30 s. */
  fresh(words) {
    const kept = this.#answers.get(words);
    return kept && Date.now() - kept.at < FRESH_MS ? kept.html : null;
  }

  /** HTML; `null` if it could not be had; `undefined` if a newer question or cancel() overtook this one. */
  async ask(words) {
    this.cancel();
    const kept = this.fresh(words);
    if (kept !== null) return kept;
    if (Date.now() < this.#pausedUntil) return null;

    const mine = this.#asked;
    this.#abort = new AbortController();
    try {
      const url = new URL(this.#url, location.href);
      url.searchParams.set("q", words);
      const response = await fetch(url, {
        headers: { "X-Requested-With": "fetch", Accept: "text/html" },
        signal: this.#abort.signal,
      });
      const html = response.ok && !response.redirected ? await response.text() : null;
      if (mine !== this.#asked) return undefined;
      if (response.status === 429) this.#pause(response.headers.get("Retry-After"));
      if (html !== null) this.#keep(words, html);
      return html;
    } catch {
      return mine === this.#asked ? null : undefined;
    }
  }

  cancel() {
    this.#asked += 1;
    this.#abort?.abort();
    this.#abort = null;
  }

  clear() {
    this.cancel();
    this.#answers.clear();
  }

  #keep(words, html) {
    this.#answers.delete(words);
    this.#answers.set(words, { html, at: Date.now() });
    if (this.#answers.size > MOST) this.#answers.delete(this.#answers.keys().next().value);
  }

  #pause(retryAfter) {
    const seconds = Number.parseInt(retryAfter ?? "", 10);
    if (seconds > 0) this.#pausedUntil = Date.now() + Math.min(seconds, 60) * 1000;
  }
}
