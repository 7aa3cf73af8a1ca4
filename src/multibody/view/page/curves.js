// The panel of curves: one diagram for each unit, one above the other; the cursor follows the time of the page.

import { noiseOf, number, PALETTE, tone } from "./common.js";
import { Chart, value } from "./chart.js";
import { make } from "./dom.js";
import { roomy } from "./ticks.js";

/** Dashes of curves that share a color [CSS pixels]. */
const DASHES = [[], [6, 3], [1.5, 3], [8, 3, 1.5, 3], [12, 4], [3, 3]];

/** Of a line, and of the widest [CSS pixels]; one that a later run would hide is wider and shows at its sides. */
const WIDTH = 1.6, WIDEST = 3.6;

/** Runs up to which a legend tells their values: those of more are told where the pointer rests. */
const TOLD = 5;

/** Part of a curve's range by which it may differ from another that is said to hide it. */
const ALIKE = 0.01;

/** How much one notch of a wheel zooms, and the narrowest part of the whole that can be seen. */
const NOTCH = 1.2, NARROWEST = 1e-6;

/** What a pointer does, said where it rests. */
const HELP = "click or drag: set the time · wheel: zoom · shift and drag: zoom to a box · double click: show all";

export class Curves {
  /**
   * @param {HTMLElement} element the curves fill it
   * @param {object} data the page's data
   */
  constructor(element, data) {
    this.element = element;
    this.data = data;
    this.charts = [];
    this.names = [];
    this.x = null;
    this.runs = data.runs.slice(0, 1).map((_, k) => k);
    this.run = 0;
    this.time = data.runs[0]?.time[0] ?? 0;
    this.colors = new Map();
    this.noises = [];
    /** @type {?[number, number]} part of the x axis that was chosen by hand */
    this.zoomed = null;
    this.hover = this.zoom = null;
    /** @type {(time: number) => void} called when a time is chosen here */
    this.onseek = () => {};
    /** @type {(name: string) => void} called when a curve is to be taken away */
    this.onremove = null;
    this.tip = make("div.tip", { hidden: true });
    this.reset = make("button.plain.reset", { type: "button", title: "show all (double click)", hidden: true, click: () => this.all() }, "show all");
    element.classList.add("curves");
    new ResizeObserver(() => this.resize()).observe(element);
  }

  /**
   * Choose the motions whose curves are shown.
   * @param {number[]} runs indices of the page's runs
   */
  cover(runs) {
    if (String(runs) === String(this.runs)) return;
    this.runs = [...runs];
    this.show(this.names, { x: this.x });
  }

  /**
   * Show curves.
   * @param {string[]} paths
   * @param {{x?: ?string}} [options] path along the horizontal axis, null for the time
   */
  show(paths, { x = null } = {}) {
    if (x !== this.x) this.zoomed = null;
    this.names = [...paths];
    this.x = x;
    this.hover = null;
    this.color();
    const groups = new Map();
    for (const name of this.names) {
      for (const run of this.runs.map((k) => this.data.runs[k])) {
        const found = this.curve(run, name);
        if (found) groups.set(found.unit, [...(groups.get(found.unit) ?? []), found]);
      }
    }
    const units = [...groups.keys()];
    const xName = x ?? "time";
    this.charts = units.map((unit, k) => new Chart(unit, groups.get(unit), k === units.length - 1 ? xName : "", this.noise(unit)));
    for (const chart of this.charts) this.dress(chart);
    const parts = this.charts.length ? [this.labels(), ...this.charts.map((chart) => chart.element)] : [make("p.soft.none", {}, "no curves: choose some below")];
    this.element.replaceChildren(...parts, this.reset, this.tip);
    this.resize();
  }

  /** Return below what numbers of a unit are round-off in the motions that are shown. */
  noise(unit) {
    return Math.max(...this.runs.map((k) => (this.noises[k] ??= noiseOf(this.data, this.data.runs[k])).get(unit) ?? 0));
  }

  /** Give every path a color that stays while others come and go. */
  color() {
    for (const name of [...this.colors.keys()]) if (!this.names.includes(name)) this.colors.delete(name);
    for (const name of this.names) {
      const used = new Set(this.colors.values());
      let k = 0;
      while (used.has(k)) k++;
      if (!this.colors.has(name)) this.colors.set(name, k);
    }
  }

  /** Return a curve of a run, null where it has no such path. One run: a color for each path; several: for each run. */
  curve(run, name) {
    const path = run.paths.find((item) => item.name === name), base = this.x === null ? null : run.paths.find((item) => item.name === this.x);
    if (!path || (this.x !== null && !base)) return null;
    const place = this.colors.get(name), several = this.runs.length > 1;
    const color = several ? run.color : PALETTE[place % PALETTE.length];
    const dashes = DASHES[several ? 0 : Math.floor(place / PALETTE.length) % DASHES.length];
    return { name, run, color, dashes, x: base ? base.values : run.time, y: path.values, unit: path.unit, xUnit: base?.unit };
  }

  /** Return the names of the runs in their colors, where there are several. */
  labels() {
    const runs = this.runs.length > 1 ? this.runs.map((k) => this.data.runs[k]) : [];
    const swatch = (run) => make("span.entry", {}, sample(run.color, [], this.dark), make("span", {}, run.label));
    return make("div.legend.runs", { hidden: !runs.length }, ...runs.map(swatch));
  }

  /** Write the legend of a diagram, with places for the values at the cursor, and listen to its pointer. */
  dress(chart) {
    const several = this.runs.length > 1, names = [...new Set(chart.curves.map((curve) => curve.name))];
    for (const name of names) {
      const own = chart.curves.filter((curve) => curve.name === name);
      if (several) for (const curve of own) curve.dashes = DASHES[names.indexOf(name) % DASHES.length]; // colors tell the runs
      own.forEach((curve, k) => (curve.width = Math.min(WIDEST, WIDTH + 2 * own.slice(k + 1).filter((later) => coincide(curve, later)).length)));
      const entry = make("span.entry", {}, sample(several ? null : own[0].color, own[0].dashes, this.dark), make("span.name", {}, name));
      own.forEach((curve, k) => {
        curve.shown = make("output", several ? { style: `color: ${tone(curve.color, this.dark)}` } : {});
        curve.after = k === own.length - 1 && chart.unit !== "1" ? ` ${chart.unit}` : "";
        if (own.length <= TOLD) entry.append(curve.shown);
      });
      if (this.onremove) entry.append(make("button.plain.remove", { type: "button", title: `take ${name} away`, click: () => this.onremove(name) }, "×"));
      chart.legend.append(entry);
    }
    chart.plot.title = HELP;
    this.listen(chart);
  }

  get dark() {
    return document.documentElement.style.colorScheme === "dark";
  }

  /** Take the element's size and draw anew. */
  resize() {
    if (!this.charts.length || !this.element.clientWidth) return;
    for (const chart of this.charts) align(chart.legend);
    for (const chart of this.charts) chart.measure();
    this.draw();
  }

  /** Draw all diagrams. */
  draw() {
    const overTime = this.x === null, [low, high] = this.zoomed ?? this.range();
    const xUnit = overTime ? this.data.units.time : this.charts[0].curves[0].xUnit;
    const frame = { left: 34, x: [low, high], xUnit, overTime, dark: this.dark };
    for (const chart of this.charts) frame.left = Math.max(frame.left, Math.ceil(chart.scale(frame)));
    for (const chart of this.charts) chart.draw(frame);
    this.reset.hidden = !this.zoomed && !this.charts.some((chart) => chart.chosen);
    this.follow();
  }

  /** Return the whole x range: of the time as it is, with a lock-up beyond its end; of a path with room at its ends. */
  range() {
    let low = Infinity, high = -Infinity;
    for (const { x, run } of this.charts.flatMap((chart) => chart.curves)) {
      const beyond = this.x === null ? run.singularities.map((item) => item.time) : [];
      for (const numbers of [x, beyond]) {
        for (const v of numbers) {
          if (v < low) low = v;
          if (v > high) high = v;
        }
      }
    }
    return low < high && this.x === null ? [low, high] : roomy(low, high, 0.03);
  }

  /**
   * Follow the time of the page.
   * @param {number} run the motion in front
   * @param {number} time
   */
  at(run, time) {
    this.run = run;
    this.time = time;
    if (this.charts.length) this.follow();
  }

  /** Draw the cursor and write the values there. */
  follow() {
    for (const chart of this.charts) {
      chart.overlay(this.time, this.hover, this.zoom);
      for (const curve of chart.curves) {
        const exact = value(curve, this.time, curve.y);
        const text = number(Math.abs(exact) <= chart.noise ? 0 : exact) + curve.after;
        if (curve.shown.textContent !== text) curve.shown.textContent = text;
      }
    }
  }

  /** Take light or dark paper. */
  paper() {
    this.show(this.names, { x: this.x });
  }

  /** Show everything again. */
  all() {
    this.zoomed = null;
    for (const chart of this.charts) chart.chosen = null;
    this.draw();
  }

  // --- the pointer ---
  /** Listen to the pointer over a diagram. */
  listen(chart) {
    const { plot } = chart;
    const place = (event) => {
      const box = plot.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    plot.addEventListener("pointerdown", (event) => this.press(chart, place(event), event));
    plot.addEventListener("pointermove", (event) => this.move(chart, place(event), event));
    plot.addEventListener("pointerup", (event) => this.release(chart, place(event)));
    plot.addEventListener("pointerleave", () => this.rest());
    plot.addEventListener("dblclick", () => this.all());
    plot.addEventListener("wheel", (event) => this.wheel(chart, place(event), event), { passive: false });
  }

  /** Begin to set the time, or to choose a box. */
  press(chart, at, event) {
    if (event.button !== 0) return;
    chart.plot.setPointerCapture(event.pointerId);
    if (event.shiftKey) this.zoom = { chart, from: at, to: at };
    else {
      this.seeking = true;
      this.seek(chart, at);
    }
  }

  /** Go on with it, or tell the value under the pointer. */
  move(chart, at, event) {
    if (this.zoom) this.zoom.to = at;
    else if (this.seeking && event.buttons & 1) this.seek(chart, at);
    const point = this.zoom ? null : chart.nearest(...at);
    this.hover = { chart, x: chart.fromX(at[0]), point };
    this.tell(chart, at, point);
    this.follow();
  }

  /** End it; a box that is large enough is what is shown from now on. */
  release(chart, at) {
    this.seeking = false;
    if (!this.zoom) return;
    const { from } = this.zoom;
    this.zoom = null;
    if (Math.abs(at[0] - from[0]) > 5) this.zoomed = [chart.fromX(Math.min(at[0], from[0])), chart.fromX(Math.max(at[0], from[0]))];
    if (Math.abs(at[1] - from[1]) > 12) chart.chosen = [chart.fromY(Math.max(at[1], from[1])), chart.fromY(Math.min(at[1], from[1]))];
    this.draw();
  }

  /** The pointer is gone. */
  rest() {
    this.hover = null;
    this.tip.hidden = true;
    this.follow();
  }

  /** Set the time to that of a place. */
  seek(chart, at) {
    const time = this.x === null ? chart.fromX(at[0]) : chart.nearest(...at)?.time;
    if (time !== undefined) this.onseek(time);
  }

  /** Zoom about the pointer: along the axis; over the numbers of the y axis the diagram's own range. */
  wheel(chart, at, event) {
    event.preventDefault();
    const factor = NOTCH ** (Math.sign(event.deltaY) || 0), own = at[0] < chart.box.left;
    if (own || this.x !== null) chart.chosen = scaled(chart.y, chart.fromY(at[1]), factor);
    if (!own) {
      const whole = this.range(), now = scaled(this.zoomed ?? whole, chart.fromX(at[0]), factor);
      const wide = now[1] - now[0], all = whole[1] - whole[0];
      this.zoomed = wide >= all ? null : wide < NARROWEST * all ? this.zoomed : held(now, whole);
    }
    this.draw();
  }

  /** Write the value under the pointer beside it, inside the panel. */
  tell(chart, at, point) {
    this.tip.hidden = !point;
    if (!point) return;
    const { curve } = point, unit = (text) => (text && text !== "1" ? ` ${text}` : "");
    const label = this.runs.length > 1 ? `${curve.run.label}: ` : "";
    const base = this.x === null ? "" : `${this.x} = ${number(point.x)}${unit(curve.xUnit)}\n`;
    this.tip.textContent = `${label}${curve.name} = ${number(point.y)}${unit(chart.unit)}\n${base}t = ${number(point.time)} ${this.data.units.time}`;
    const left = chart.plot.offsetLeft + at[0], top = chart.plot.offsetTop + at[1];
    const wide = this.tip.offsetWidth, high = this.tip.offsetHeight;
    this.tip.style.left = `${left + 14 + wide > this.element.clientWidth ? Math.max(0, left - 14 - wide) : left + 14}px`;
    this.tip.style.top = `${Math.max(this.element.scrollTop, top - high - 8)}px`;
  }
}

/** Give all entries of a legend one width, so that they stand in columns. */
function align(legend) {
  legend.style.removeProperty("--entry");
  const widths = [...legend.children].map((entry) => entry.offsetWidth);
  if (widths.length > 1) legend.style.setProperty("--entry", `${Math.min(Math.max(...widths), legend.clientWidth)}px`);
}

/** Return whether two curves lie on each other, as far as one can see. */
function coincide(one, other) {
  const from = Math.max(one.run.time[0], other.run.time[0]), to = Math.min(one.run.time.at(-1), other.run.time.at(-1));
  let low = Infinity, high = -Infinity, apart = 0;
  for (let k = 0; k <= 50; k++) {
    const t = from + ((to - from) * k) / 50, y = value(one, t, one.y);
    apart = Math.max(apart, Math.abs(y - value(other, t, other.y)) || 0);
    low = Math.min(low, y);
    high = Math.max(high, y);
  }
  return apart <= ALIKE * (high - low);
}

/** Return a range scaled about a place. */
function scaled([low, high], about, factor) {
  return [about + (low - about) * factor, about + (high - about) * factor];
}

/** Return a range moved into the whole. */
function held([low, high], [first, last]) {
  const shift = Math.max(first - low, 0) + Math.min(last - high, 0);
  return [low + shift, high + shift];
}

/** Return a short piece of a curve for the legend; without a color in that of the text. */
function sample(color, dashes, dark) {
  const made = make("span.sample");
  const paint = color === null ? "currentColor" : tone(color, dark);
  made.innerHTML = `<svg width="22" height="8" aria-hidden="true"><path d="M1 4H21" fill="none" stroke="${paint}" stroke-width="1.8" stroke-linecap="round" stroke-dasharray="${dashes.join(" ")}"/></svg>`;
  return made;
}
