// The stages on which motions are played: one, several side by side, or several motions laid over each other on one.

import { make } from "./dom.js";
import { Plane } from "./plane.js";
import { Space } from "./space.js";

/** Poses that ghosts show beside the present one. */
const GHOSTS = 8;

/** Part of the picture that a large arrow takes. */
const LONG_ARROW = 0.12;

/** Most stages side by side in space: browsers give a page only so many pictures there. */
const MOST = 12;

export class Stages {
  /**
   * @param {HTMLElement} element
   * @param {object} data
   * @param {object} look what is shown: names, symbols, ghosts, traces, arrows, gravity, dark, selected
   */
  constructor(element, data, look) {
    this.element = element;
    this.data = data;
    this.look = look;
    this.panes = [];
    this.time = 0;
    /** @type {(owner: number, run: number) => void} called when something is clicked */
    this.onpick = () => {};
    /** @type {() => boolean} whether the time goes on by itself, so that everything is drawn again soon */
    this.moving = () => false;
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(element);
    const force = Math.max(this.large("reaction"), this.large("load")); // one unit, one scale
    this.longest = { reaction: force, load: force, velocity: this.large("velocity") };
  }

  /**
   * Lay out the stages.
   * @param {number[]} runs motions to show
   * @param {"one"|"beside"|"over"} mode
   */
  arrange(runs, mode) {
    const drawn = (run) => this.data.runs[run].drawing;
    // in space no stage shows runs with shapes of their own
    const alike = this.data.dimension === 2 || runs.every((run) => drawn(run) === drawn(runs[0]));
    const apart = mode === "beside" || (mode === "over" && !alike);
    const most = this.data.dimension === 3 ? MOST : runs.length;
    const groups = apart ? runs.slice(0, most).map((run) => [run]) : [mode === "over" ? runs : runs.slice(0, 1)];
    while (this.panes.length > groups.length) this.panes.pop().element.remove();
    groups.forEach((group, k) => {
      const old = this.panes[k];
      if (old?.drawing === drawn(group[0])) return;
      this.panes[k] = this.pane(drawn(group[0]));
      if (old) old.element.replaceWith(this.panes[k].element);
      else this.element.append(this.panes[k].element);
    });
    groups.forEach((group, k) => this.label(this.panes[k], group));
    this.tell(apart ? runs.length - groups.length : 0);
    const wide = Math.max(0.6, Math.min(2, this.element.clientWidth / (this.element.clientHeight || 1)));
    this.element.style.setProperty("--columns", String(Math.min(groups.length, Math.ceil(Math.sqrt(groups.length * wide)))));
    this.resize();
  }

  /** Say how many motions there was no stage for. */
  tell(left) {
    this.rest?.remove();
    this.rest = left > 0 ? make("p.soft.rest", {}, `${left} more: choose them at the top, or lay all over each other`) : null;
    if (this.rest) this.element.append(this.rest);
  }

  /** Return a new stage with its canvas. */
  pane(drawing) {
    const canvas = make("canvas"), label = make("div.label");
    const element = make("div.pane", {}, canvas, label);
    const stage = new (this.data.dimension === 2 ? Plane : Space)(canvas, { ...this.data, drawing: this.data.drawings[drawing] });
    const pane = { element, drawing, canvas, label, stage, runs: [0] };
    stage.moving = () => this.moving();
    stage.onchange = () => { if (!this.moving()) this.drawPane(pane); };
    let down = null;
    canvas.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
    canvas.addEventListener("click", (event) => {
      if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return; // a drag is no click
      const box = canvas.getBoundingClientRect();
      this.onpick(this.picked(stage, event.clientX - box.left, event.clientY - box.top), pane.runs[pane.runs.length - 1]);
    });
    return pane;
  }

  /** Return what a click means: what lies there, and with every further click on the same place what lies below it. */
  picked(stage, x, y) {
    const all = stage.picks?.(x, y) ?? [stage.pick(x, y)];
    return all[(all.indexOf(this.look.selected) + 1) % all.length] ?? -1;
  }

  /** Name the motions of a stage. */
  label(pane, runs) {
    pane.runs = runs;
    const many = this.data.runs.length > 1;
    const parts = many ? runs.map((k) => this.data.runs[k]) : [];
    const words = (run) => (run.sort === "direction" ? [make("span.soft", {}, run.status)] : []); // why it is singular
    pane.label.replaceChildren(...parts.flatMap((run) => [make("span", { style: runs.length > 1 ? `color: ${run.color}` : "" }, run.label), ...words(run)]));
  }

  /** Draw all stages at a time. */
  draw(time = this.time) {
    this.time = time;
    for (const pane of this.panes) this.drawPane(pane);
  }

  /** Draw one stage. */
  drawPane(pane) {
    const look = this.look, over = pane.runs.length > 1, run = pane.runs[pane.runs.length - 1];
    const layers = look.ghosts ? this.ghosts(run) : [];
    pane.runs.forEach((k, i) => {
      const front = i === pane.runs.length - 1;
      layers.push({ run: k, time: this.time, fade: front ? 0 : 0.35, ...(over ? { tint: this.data.runs[k].color } : {}) });
    });
    const arrows = Object.fromEntries(["reaction", "load", "velocity"].map((sort) => [sort, look[sort] ? this.scale(sort) : 0]));
    pane.stage.draw({
      layers, arrows, names: look.names, symbols: look.symbols, gravity: look.gravity, dark: look.dark, selected: look.selected,
      traces: look.traces ? pane.runs.flatMap((k) => this.traces(k, over)) : [],
    });
  }

  /** Return earlier and later poses, evenly spread over a motion. */
  ghosts(run) {
    const times = this.data.runs[run].time, from = times[0], to = times[times.length - 1];
    if (!(to > from)) return [];
    return Array.from({ length: GHOSTS }, (_, k) => ({ run, time: from + ((to - from) * k) / (GHOSTS - 1), fade: 0.8 }));
  }

  /** Return the points whose paths are drawn: those chosen, else those of what is selected. */
  traces(run, over) {
    return this.data.points
      .filter((point) => point.traced)
      .map((point) => ({ run, body: point.body, point: point.point, color: over ? this.data.runs[run].color : this.data.bodies[point.body].color }));
  }

  /** Return the length on the drawing of one unit of an arrow. */
  scale(sort) {
    const { low, high } = this.data.drawing;
    const size = Math.hypot(...high.map((x, k) => x - low[k]));
    return this.longest[sort] > 0 ? ((LONG_ARROW * size) / this.longest[sort]) * this.look.enlarged : 0;
  }

  /** Return the size of large arrows of a sort: one instant in twenty has larger ones. */
  large(sort) {
    const d = this.data.dimension, sizes = [];
    for (const run of this.data.runs) {
      const arrows = run.arrows.filter((arrow) => arrow.sort === sort);
      for (let k = 0; k < run.time.length; k++) {
        let most = 0;
        for (const { vector } of arrows) {
          let square = 0;
          for (let at = k * d; at < k * d + d; at++) square += vector[at] * vector[at];
          if (square > most) most = square;
        }
        sizes.push(Math.sqrt(most));
      }
    }
    sizes.sort((a, b) => a - b);
    return sizes.length ? sizes[Math.floor(0.95 * (sizes.length - 1))] || sizes[sizes.length - 1] : 0;
  }

  /** Tell the stages that their places have changed. */
  resize() {
    for (const pane of this.panes) pane.stage.resize();
    this.draw();
  }

  /** Show everything again. */
  fit() {
    for (const pane of this.panes) pane.stage.fit();
    this.draw();
  }

  /** @param {string} name of a standard view in space */
  view(name) {
    for (const pane of this.panes) pane.stage.view(name);
    this.draw();
  }
}
