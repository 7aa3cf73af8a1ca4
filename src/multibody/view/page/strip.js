// The strip under the time slider: how far from singular the mechanism is, with singular positions and events as marks.

import { inks, instant, number, tone } from "./common.js";
import { make } from "./dom.js";

/** Half the width of the slider's knob: its middle runs this far from the ends [CSS pixels]. */
const INSET = 8;

/** Height of the rows of marks: events above, the name of the curve below [CSS pixels]. */
const MARKS = 9;

/** From this ratio of the largest to the smallest value on, the scale is logarithmic, down to its last part. */
const WIDE = 100, DEEPEST = 1e-6;

const FONT = "10px system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

export class Strip {
  /**
   * @param {HTMLElement} element as wide as the slider
   * @param {object} data the page's data
   */
  constructor(element, data) {
    this.element = element;
    this.data = data;
    this.runs = data.runs.slice(0, 1);
    this.time = this.runs[0]?.time[0] ?? 0;
    this.marks = [];
    /** @type {(time: number) => void} called when a time is chosen here */
    this.onseek = () => {};
    this.back = make("canvas");
    this.front = make("canvas.front");
    this.tip = make("div.tip", { hidden: true });
    element.classList.add("strip");
    element.replaceChildren(this.back, this.front, this.tip);
    this.listen();
    new ResizeObserver(() => this.resize()).observe(element);
    this.cover(data.runs.map((_, k) => k));
  }

  /**
   * Take the motions that are played: the strip spans their times.
   * @param {number[]} runs
   */
  cover(runs) {
    this.runs = runs.map((k) => this.data.runs[k]);
    this.from = Math.min(...this.runs.map((run) => run.time[0]));
    this.to = Math.max(...this.runs.map((run) => run.time[run.time.length - 1]));
    this.known = this.runs.filter((run) => run.sigma?.some(Number.isFinite));
    this.scale = scaleOf(this.known);
    this.marks = this.runs.flatMap((run) => marksOf(run, this.runs.length > 1, this.data.units.time));
    this.element.classList.toggle("low", !this.known.length);
    this.element.classList.toggle("empty", !this.known.length && !this.marks.length);
    this.resize();
  }

  /** Take the element's size and draw anew. */
  resize() {
    this.width = this.element.clientWidth;
    this.height = this.element.clientHeight;
    if (!this.width || !this.height) return;
    this.ratio = window.devicePixelRatio || 1;
    for (const canvas of [this.back, this.front]) {
      canvas.width = Math.round(this.width * this.ratio);
      canvas.height = Math.round(this.height * this.ratio);
    }
    this.draw();
  }

  /** @param {number} time of the page */
  at(time) {
    this.time = time;
    this.cursor();
  }

  /** Take light or dark paper. */
  paper() {
    this.resize();
  }

  /** Return where a time lies [CSS pixels]: a lock-up beyond the last instant lies at the end. */
  place(time) {
    const part = this.to > this.from ? (time - this.from) / (this.to - this.from) : 0;
    return INSET + Math.min(1, Math.max(0, part)) * (this.width - 2 * INSET);
  }

  /** Return the height of a singular value: 0 at the foot, 1 at the top. */
  level(sigma) {
    const { low, high, log } = this.scale;
    if (!log) return sigma / high;
    return Math.log(Math.max(sigma, low) / low) / Math.log(high / low);
  }

  /** Return a canvas' context in CSS pixels, cleared. */
  pen(canvas) {
    const pen = canvas.getContext("2d");
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.width + 1, this.height + 1);
    pen.font = FONT;
    return pen;
  }

  /** Draw what stays. */
  draw() {
    const dark = document.documentElement.style.colorScheme === "dark", ink = inks(dark), pen = this.pen(this.back);
    const foot = this.height - 1.5;
    pen.strokeStyle = ink.grid;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(INSET, foot);
    pen.lineTo(this.width - INSET, foot);
    pen.stroke();
    for (const run of this.known) this.sigma(pen, run, this.runs.length > 1 ? tone(run.color, dark) : ink.ground, ink);
    for (const run of this.runs) if (run.partial && run.time.length > 1) this.end(pen, run, ink);
    for (const mark of this.marks) this.mark(pen, mark, ink);
    if (this.known.length) this.caption(pen, ink);
    this.cursor();
  }

  /** Draw the smallest singular value: a line with its area below. */
  sigma(pen, run, color, ink) {
    const top = MARKS + 1, high = this.height - top - 2, { time } = run, foot = this.height - 2;
    const y = (k) => foot - high * this.level(run.sigma[k]);
    const step = Math.max(1, Math.floor(time.length / (4 * this.width)));
    let begun = null;
    const line = new Path2D(), area = new Path2D();
    const close = (x) => begun !== null && (area.lineTo(x, foot), area.lineTo(begun, foot), area.closePath());
    let before = INSET;
    for (let k = 0; k < time.length; k += step) {
      const x = this.place(time[k]);
      if (!Number.isFinite(run.sigma[k])) {
        close(before);
        begun = null;
        continue;
      }
      if (begun === null) line.moveTo(x, y(k)), area.moveTo(x, y(k)), (begun = x);
      else line.lineTo(x, y(k)), area.lineTo(x, y(k));
      before = x;
    }
    close(before);
    if (this.known.length === 1) {
      pen.fillStyle = ink.grid;
      pen.fill(area);
    }
    pen.strokeStyle = color;
    pen.lineWidth = 1.2;
    pen.lineJoin = "round";
    pen.stroke(line);
  }

  /** Hatch what a run that ended early did not reach, where others go on; else mark its end. */
  end(pen, run, ink) {
    const x = this.place(run.time[run.time.length - 1]);
    pen.strokeStyle = ink.accent;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x, MARKS);
    pen.lineTo(x, this.height - 1);
    pen.stroke();
  }

  /** Draw a mark: a ring for a singular position, a diamond for a lock-up, a tick for an event. */
  mark(pen, mark, ink) {
    const x = this.place(mark.time), y = MARKS / 2 + 0.5;
    pen.strokeStyle = pen.fillStyle = mark.kind === "singular" ? ink.ground : ink.accent;
    pen.lineWidth = 1.3;
    pen.beginPath();
    if (mark.kind === "singular") pen.arc(x, y, 3, 0, 2 * Math.PI);
    else if (mark.kind === "event") pen.moveTo(x, 1.5), pen.lineTo(x, MARKS);
    else if (mark.kind === "branch") pen.moveTo(x - 3, 1.5), pen.lineTo(x, MARKS - 1), pen.lineTo(x + 3, 1.5);
    else pen.moveTo(x, y - 4), pen.lineTo(x + 4, y), pen.lineTo(x, y + 4), pen.lineTo(x - 4, y), pen.closePath();
    if (mark.kind === "lock-up") pen.fill();
    else pen.stroke();
  }

  /** Say what the curve is, where it leaves room. */
  caption(pen, ink) {
    const text = this.scale.log ? "smallest singular value, logarithmic" : "smallest singular value";
    const wide = pen.measureText(text).width;
    if (this.height < 30 || wide > 0.5 * this.width) return;
    const [first] = this.known, tall = this.height - MARKS - 3;
    const lowest = (from, to) => {
      let least = 1;
      for (let k = 0; k < first.time.length; k++) {
        const x = this.place(first.time[k]);
        if (x >= from && x <= to && Number.isFinite(first.sigma[k])) least = Math.min(least, this.level(first.sigma[k]));
      }
      return least;
    };
    const places = [INSET + 5, this.width - INSET - 5 - wide, (this.width - wide) / 2];
    const found = places.find((x) => this.known.length === 1 && lowest(x - 4, x + wide + 4) * tall > 13);
    if (found === undefined) return; // the tip says it
    pen.fillStyle = ink.ground;
    pen.textBaseline = "alphabetic";
    pen.fillText(text, found, this.height - 4.5);
  }

  /** Draw the present time. */
  cursor() {
    if (!this.width || !this.height) return;
    const ink = inks(document.documentElement.style.colorScheme === "dark"), pen = this.pen(this.front), x = Math.round(this.place(this.time)) + 0.5;
    pen.strokeStyle = ink.ink;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(x, 0);
    pen.lineTo(x, this.height);
    pen.stroke();
  }

  // --- the pointer ---
  listen() {
    const time = (event) => {
      const x = event.clientX - this.front.getBoundingClientRect().left;
      const near = this.near(x);
      if (near) return near.time;
      const part = (x - INSET) / (this.width - 2 * INSET || 1);
      return this.from + Math.min(1, Math.max(0, part)) * (this.to - this.from);
    };
    let down = false;
    this.front.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      down = true;
      this.front.setPointerCapture(event.pointerId);
      this.onseek(Math.min(this.to, Math.max(this.from, time(event))));
    });
    this.front.addEventListener("pointermove", (event) => {
      const at = time(event);
      if (down && event.buttons & 1) this.onseek(Math.min(this.to, Math.max(this.from, at)));
      this.tell(event.clientX - this.front.getBoundingClientRect().left, at);
    });
    this.front.addEventListener("pointerup", () => (down = false));
    this.front.addEventListener("pointerleave", () => (this.tip.hidden = true));
  }

  /** Return the mark under the pointer, the nearest one. */
  near(x) {
    const close = this.marks.filter((mark) => Math.abs(this.place(mark.time) - x) <= 5);
    return close.sort((a, b) => Math.abs(this.place(a.time) - x) - Math.abs(this.place(b.time) - x))[0] ?? null;
  }

  /** Say what is under the pointer: a mark in words, else the singular value. */
  tell(x, time) {
    const near = this.near(x), lines = near ? [near.words] : [];
    if (!near) {
      lines.push(`t = ${number(time, 5)} ${this.data.units.time}`);
      for (const run of this.known) {
        const label = this.runs.length > 1 ? `${run.label}: ` : "";
        lines.push(`${label}smallest singular value ${number(run.sigma[instant(run.time, time)], 3)}`);
      }
    }
    this.tip.textContent = lines.join("\n");
    this.tip.hidden = false;
    const wide = this.tip.offsetWidth;
    this.tip.style.left = `${Math.min(Math.max(0, x - wide / 2), Math.max(0, this.width - wide))}px`;
    this.tip.style.bottom = `${this.height + 4}px`;
  }
}

/**
 * Return the scale of singular values: from zero, or logarithmic where they differ by orders of magnitude.
 * @param {object[]} runs
 * @returns {{low: number, high: number, log: boolean}}
 */
export function scaleOf(runs) {
  let low = Infinity, high = 0;
  for (const run of runs) {
    for (const s of run.sigma) {
      if (!Number.isFinite(s)) continue;
      if (s < low) low = s;
      if (s > high) high = s;
    }
  }
  if (!(high > 0)) return { low: 0, high: 1, log: false };
  const log = high > WIDE * low;
  return { low: Math.max(low, DEEPEST * high) * (log ? 0.7 : 1), high: 1.05 * high, log };
}

/**
 * Return the marks of a motion: singular positions, changes of the branch, events, and where it ended early.
 * @param {object} run
 * @param {boolean} named whether the run's name is said too
 * @param {string} unit of time
 * @returns {{time: number, kind: "singular"|"lock-up"|"event"|"branch"|"end", words: string}[]}
 */
export function marksOf(run, named, unit) {
  const label = named ? `${run.label}: ` : "", at = (time) => `t = ${number(time, 5)} ${unit}`;
  const found = (run.singularities ?? []).map((item) => ({
    time: item.time, kind: item.kind === "lock-up" ? "lock-up" : "singular",
    words: `${label}singular position, ${item.kind}\n${at(item.time)}${item.words ?? item.reason ? `\n${item.words ?? item.reason}` : ""}`,
  }));
  const near = 1e-6 * (run.time[run.time.length - 1] - run.time[0]);
  for (const [time, name] of (run.branches ?? []).slice(1)) {
    const passed = found.find((mark) => Math.abs(mark.time - time) <= near);
    if (passed) passed.words += `\nfrom here on branch ${name}`;
    else found.push({ time, kind: "branch", words: `${label}from here on branch ${name}\n${at(time)}` });
  }
  for (const item of run.events ?? []) found.push({ time: item.time, kind: "event", words: `${label}event ${item.name}\n${at(item.time)}` });
  if (run.partial && !found.some((mark) => mark.kind === "lock-up")) {
    const time = run.time[run.time.length - 1];
    found.push({ time, kind: "end", words: `${label}ended early: ${run.status}\n${at(time)}` });
  }
  return found;
}
