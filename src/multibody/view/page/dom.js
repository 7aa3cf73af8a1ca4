// Elements made in one line, and the few icons of the page.

/**
 * Return a new element.
 * @param {string} tag "button", or "span.unit" with its class
 * @param {Object<string, any>} [attributes] text attributes; functions are listeners, booleans set or leave out
 * @param {...(Node|string)} children
 * @returns {HTMLElement}
 */
export function make(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const made = document.createElement(name);
  if (classes.length) made.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (typeof value === "boolean") made.toggleAttribute(key, value);
    else made.setAttribute(key, String(value));
  }
  made.append(...children);
  return made;
}

/** Outlines in a box of 16 × 16. */
const ICONS = {
  play: "M4 2.5v11l9-5.5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  last: "M11 3h2v10h-2zM3 3v10l7-5z",
  back: "M11 3v10L5 8z",
  on: "M5 3v10l6-5z",
  loop: "M8 3a5 5 0 0 1 5 5h1.8L12.200 11.200 9.600 8H11.500a3.500 3.500 0 0 0-5.900-2.500L4.500 4.400A5 5 0 0 1 8 3zM3.800 4.800 6.400 8H4.500a3.500 3.500 0 0 0 5.900 2.500l1.100 1.100A5 5 0 0 1 3 8H1.200z",
};

/**
 * Return an icon that takes the color of its text.
 * @param {keyof typeof ICONS} name
 * @returns {HTMLElement}
 */
export function icon(name) {
  const made = make("span.icon");
  made.innerHTML = `<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path fill="currentColor" d="${ICONS[name]}"/></svg>`;
  return made;
}

/**
 * Return a button that shows whether it is pressed.
 * @param {string} label
 * @param {string} title what a pointer that rests on it is told
 * @param {(pressed: boolean) => void} onchange
 * @param {boolean} [pressed]
 * @returns {HTMLElement & {press: (pressed: boolean) => void}}
 */
export function toggle(label, title, onchange, pressed = false) {
  const made = make("button.toggle", { type: "button", title, "aria-pressed": String(pressed) }, label);
  made.press = (value) => {
    made.setAttribute("aria-pressed", String(value));
    onchange(value);
  };
  made.addEventListener("click", () => made.press(made.getAttribute("aria-pressed") !== "true"));
  return made;
}
