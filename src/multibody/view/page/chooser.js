// The list from which curves are chosen, and what they are drawn over.

import { noiseOf } from "./common.js";
import { make } from "./dom.js";

/** Rows that the list shows at most: a large model has thousands of paths. */
const SHOWN = 400;

export class Chooser {
  /**
   * @param {HTMLElement} element
   * @param {object} data
   */
  constructor(element, data) {
    this.element = element;
    this.data = data;
    this.chosen = this.first();
    /** @type {() => void} */
    this.onchange = () => {};
    this.names = [...new Map(data.runs.flatMap((run) => run.paths).map((path) => [path.name, path])).values()];
    this.x = this.names.some((path) => path.name === data.x) ? data.x : "";
    this.build();
    this.over.value = this.x;
  }

  /** Return the curves that a page begins with: those asked for, else outputs, else a coordinate, a reaction and energies. */
  first() {
    const { runs, plot } = this.data, paths = runs[0]?.paths ?? [];
    if (plot?.length) return [...plot];
    const noise = runs[0] ? noiseOf(this.data, runs[0]) : new Map();
    const moving = (group) => paths.filter((path) => path.group === group && moves(path.values, noise.get(path.unit))).map((path) => path.name);
    const outputs = moving("outputs").slice(0, 4);
    if (outputs.length) return outputs;
    const reactions = moving("reactions").filter((name) => name.includes(".reaction.force."));
    const joint = reactions[0]?.split(".")[0], own = reactions.filter((name) => name.split(".")[0] === joint);
    const found = [...moving("joints").slice(0, own.length ? 1 : 2), ...own, ...moving("energies").slice(0, 3)];
    return found.length ? found : [...moving("bodies"), ...paths.map((path) => path.name)].slice(0, 2);
  }

  build() {
    this.filter = make("input", { type: "search", placeholder: "find a path", "aria-label": "find a path", input: () => this.list() });
    this.over = make("select", { "aria-label": "over", change: () => this.choose(this.chosen, this.over.value) });
    this.over.append(make("option", { value: "" }, "time"), ...this.names.map((path) => make("option", { value: path.name }, path.name)));
    this.items = make("div.paths");
    this.element.replaceChildren(make("div.row", {}, this.filter, make("label.soft", {}, "over ", this.over)), this.items);
    const missing = this.data.runs.map((run) => run.missing).find(Boolean);
    if (missing) this.element.append(make("p.soft", {}, missing));
    this.list();
  }

  /** Write the list. */
  list() {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.names.filter((path) => words.every((word) => path.name.toLowerCase().includes(word)));
    const rows = [];
    let group = "";
    for (const path of found.slice(0, SHOWN)) {
      if (path.group !== group) rows.push(make("h4", {}, (group = path.group)));
      const box = make("input", { type: "checkbox", checked: this.chosen.includes(path.name), change: () => this.toggle(path.name) });
      rows.push(make("label", {}, box, make("span", {}, path.name), make("span.soft", {}, path.unit)));
    }
    if (found.length > SHOWN) rows.push(make("p.soft", {}, `and ${found.length - SHOWN} more: write a part of the name above`));
    if (!found.length) rows.push(make("p.soft", {}, "none found"));
    this.items.replaceChildren(...rows);
  }

  /** @param {string} name */
  toggle(name) {
    this.choose(this.chosen.includes(name) ? this.chosen.filter((other) => other !== name) : [...this.chosen, name], this.x);
  }

  /**
   * @param {string[]} names
   * @param {string} x path, or "" for time
   */
  choose(names, x) {
    this.chosen = names;
    this.x = x;
    this.over.value = x;
    this.list();
    this.onchange();
  }
}

/** Return whether a curve is more than a level line or round-off. */
function moves(values, noise) {
  let low = Infinity, high = -Infinity, size = 0;
  for (const v of values) {
    low = Math.min(low, v);
    high = Math.max(high, v);
    size = Math.max(size, Math.abs(v));
  }
  return values.length < 2 || high - low > Math.max(1e-6 * size, 10 * noise);
}
