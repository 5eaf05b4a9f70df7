/* localStorage that never throws: it may be full, switched off, or hold what an older version wrote. */

export const load = (key, fallback = null) => {
  try {
    const text = localStorage.getItem(key);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
};

export const save = (key, value) => {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    /* The choice then lasts as long as the page. */
  }
};

export const forget = (key) => {
  try {
    localStorage.removeItem(key);
  } catch {
    /* Nothing was kept. */
  }
};
