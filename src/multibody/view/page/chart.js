// One diagram: curves of one unit over time or against a path, with axes, marks, and a layer of its own for what moves.

import { inks, instant, tone } from "./common.js";
import { make } from "./dom.js";
import { power, roomy, ticks, tickTexts, unitText } from "./ticks.js";

/**
 * @typedef {object} Curve
 * @property {string} name path
 * @property {object} run of the page's data
 * @property {string} color on white paper
 * @property {number[]} dashes [CSS pixels]
 * @property {number} width [CSS pixels]
 * @property {Float64Array} x values along the axis, the run's times as a rule
 * @property {Float64Array} y
 *
 * @typedef {object} Frame what all diagrams of a panel share
 * @property {number} left room for the numbers at the y axis [CSS pixels]
 * @property {[number, number]} x range along the axis
 * @property {boolean} overTime whether x is the time
 * @property {boolean} dark
 */

/** Room on the right of and above the curves, and below them without and with the numbers of the x axis [CSS pixels]. */
const RIGHT = 12, TOP = 5, FOOT = 5, FOOT_LABELED = 34;

/** Half the width of what moves with the time: a line with dots on it [CSS pixels]. */
const REACH = 7;

const FONT = "11px system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

export class Chart {
  /**
   * @param {string} unit
   * @param {Curve[]} curves
   * @param {string} xName what the x axis is called, "" where another diagram says it
   * @param {number} noise below which numbers of this unit are round-off
   */
  constructor(unit, curves, xName, noise) {
    this.unit = unit;
    this.noise = noise;
    this.curves = curves;
    this.xName = xName;
    this.back = make("canvas");
    this.front = make("canvas.front");
    this.plot = make("div.chart-plot", {}, this.back, this.front);
    this.gutter = make("span.gutter");
    this.legend = make("div.legend");
    this.head = make("div.chart-head", {}, this.gutter, this.legend);
    this.element = make(xName ? "div.chart.last" : "div.chart", {}, this.head, this.plot);
    /** @type {?[number, number]} a y range that was chosen by hand */
    this.chosen = null;
    this.y = [0, 1];
  }

  /** Take the size that the page gives. */
  measure() {
    this.width = this.plot.clientWidth;
    this.height = this.plot.clientHeight;
    this.ratio = window.devicePixelRatio || 1;
    this.back.width = Math.max(1, Math.round(this.width * this.ratio));
    this.back.height = Math.max(1, Math.round(this.height * this.ratio));
  }

  /**
   * Choose the y range and its round numbers.
   * @param {Frame} frame
   * @returns {number} room that the numbers at the axis need [CSS pixels]
   */
  scale(frame) {
    this.y = this.chosen ?? roomy(...this.extent(frame), 0.06, this.noise);
    const inner = this.height - TOP - this.foot, most = Math.max(2, Math.min(12, Math.floor(inner / 26)));
    this.marksY = ticks(this.y[0], this.y[1], most);
    this.shift = power(...this.y);
    this.textsY = tickTexts(this.marksY.values, this.marksY.step, this.shift);
    this.gutter.textContent = unitText(this.unit, this.shift);
    const pen = this.pen(), wide = (text) => pen.measureText(text).width;
    return Math.max(...this.textsY.map(wide), wide(this.gutter.textContent)) + 8;
  }

  get foot() {
    return this.xName ? FOOT_LABELED : FOOT;
  }

  /** Return the smallest and largest value that the frame shows. */
  extent(frame) {
    let low = Infinity, high = -Infinity;
    for (const curve of this.curves) {
      const [first, last] = this.visible(curve, frame);
      for (let k = first; k <= last; k++) {
        const y = curve.y[k];
        if (!Number.isFinite(y) || !(curve.x[k] >= frame.x[0] && curve.x[k] <= frame.x[1]) && !frame.overTime) continue;
        if (y < low) low = y;
        if (y > high) high = y;
      }
    }
    return [low, high];
  }

  /** Return the first and last instant of a curve that can be seen. */
  visible(curve, frame) {
    const last = curve.y.length - 1;
    if (!frame.overTime) return [0, last];
    return [instant(curve.x, frame.x[0]), Math.min(last, instant(curve.x, frame.x[1]) + 1)];
  }

  /** Return the context of what stays in CSS pixels, with its picture cleared if wished. */
  pen(clear = false) {
    const pen = this.back.getContext("2d", { willReadFrequently: true }); // else it would be blended with the page for every frame
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    if (clear) pen.clearRect(0, 0, this.width + 1, this.height + 1);
    pen.font = FONT;
    return pen;
  }

  /**
   * Return the context of what moves in CSS pixels, cleared; its canvas is no wider than it has to be, for it is blended with
   * what lies below it for every frame.
   * @param {?number} x about which all of it lies [CSS pixels]; null: it lies anywhere
   */
  moving(x) {
    const { front, ratio } = this, from = x === null ? 0 : Math.round(x) - REACH, wide = x === null ? this.width : 2 * REACH;
    const across = Math.max(1, Math.round(wide * ratio)), high = Math.max(1, Math.round(this.height * ratio));
    if (front.width !== across) front.width = across;
    if (front.height !== high) front.height = high;
    Object.assign(front.style, { width: `${wide}px`, transform: `translateX(${from}px)` });
    const pen = front.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, -from * ratio, 0);
    pen.clearRect(from, 0, wide + 1, this.height + 1);
    return pen;
  }

  /** Set the maps from values to pixels. */
  place(frame) {
    const { left } = frame, right = this.width - RIGHT, bottom = this.height - this.foot;
    const [x0, x1] = frame.x, [y0, y1] = this.y;
    this.box = { left, right, top: TOP, bottom };
    this.toX = (x) => left + ((x - x0) / (x1 - x0)) * (right - left);
    this.toY = (y) => bottom - ((y - y0) / (y1 - y0)) * (bottom - TOP);
    this.fromX = (px) => x0 + ((px - left) / (right - left || 1)) * (x1 - x0);
    this.fromY = (py) => y0 + ((bottom - py) / (bottom - TOP || 1)) * (y1 - y0);
  }

  /**
   * Draw what stays while the time moves on.
   * @param {Frame} frame
   */
  draw(frame) {
    this.place(frame);
    this.frame = frame;
    this.gutter.style.width = `${frame.left}px`;
    const pen = this.pen(true), ink = inks(frame.dark);
    this.axes(pen, frame, ink);
    const { left, right, top, bottom } = this.box;
    pen.save();
    pen.beginPath();
    pen.rect(left, top - 2, right - left + 2, bottom - top + 4);
    pen.clip();
    this.marks(pen, frame, ink);
    pen.lineJoin = pen.lineCap = "round";
    for (const curve of this.curves) this.curve(pen, curve, frame);
    pen.restore();
  }

  /** Draw grid, axes and their numbers. */
  axes(pen, frame, ink) {
    const { left, right, top, bottom } = this.box, inner = right - left;
    const shift = power(...frame.x);
    let most = Math.max(2, Math.floor(inner / 56)), marks, texts;
    do { // fewer, until their texts do not meet
      marks = ticks(...frame.x, most);
      texts = tickTexts(marks.values, marks.step, shift);
    } while (most-- > 1 && texts.some((text) => pen.measureText(text).width + 20 > (inner * marks.step) / (frame.x[1] - frame.x[0])));
    pen.strokeStyle = ink.grid;
    pen.lineWidth = 1;
    pen.beginPath();
    for (const x of marks.values) stroke(pen, crisp(this.toX(x)), top, crisp(this.toX(x)), bottom);
    for (const y of this.marksY.values) stroke(pen, left, crisp(this.toY(y)), right, crisp(this.toY(y)));
    pen.stroke();
    pen.strokeStyle = ink.pale;
    pen.beginPath();
    stroke(pen, crisp(left), top, crisp(left), crisp(bottom));
    stroke(pen, crisp(left), crisp(bottom), right, crisp(bottom));
    pen.stroke();
    pen.fillStyle = ink.ground;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    this.marksY.values.forEach((y, k) => pen.fillText(this.textsY[k], left - 5, this.toY(y) + 0.5));
    if (!this.xName) return;
    pen.textBaseline = "top";
    pen.textAlign = "center";
    const inside = (x, text) => Math.min(x, this.width - 1 - pen.measureText(text).width / 2); // the last one may be wider than its room
    marks.values.forEach((x, k) => pen.fillText(texts[k], inside(this.toX(x), texts[k]), bottom + 5));
    pen.fillStyle = ink.ink;
    pen.fillText(`${this.xName} ${unitText(frame.xUnit, shift)}`.trim(), (left + right) / 2, bottom + 20);
  }

  /** Mark singular positions by dashed lines, a lock-up in red, and events by ticks at the foot; by rings where x is a path. */
  marks(pen, frame, ink) {
    const { top, bottom } = this.box;
    for (const run of new Set(this.curves.map((curve) => curve.run))) {
      const of = this.curves.filter((curve) => curve.run === run);
      const items = [...run.singularities.map((item) => ({ ...item, singular: true })), ...run.events];
      for (const item of items) {
        pen.strokeStyle = item.singular && item.kind !== "lock-up" ? ink.pale : ink.accent;
        pen.lineWidth = 1;
        pen.setLineDash(item.singular && frame.overTime ? [3, 3] : []);
        pen.beginPath();
        if (!frame.overTime) {
          for (const curve of of) ring(pen, this.toX(value(curve, item.time, curve.x)), this.toY(value(curve, item.time, curve.y)), 3);
        } else stroke(pen, crisp(this.toX(item.time)), item.singular ? top : bottom - 7, crisp(this.toX(item.time)), bottom);
        pen.stroke();
      }
    }
    pen.setLineDash([]);
  }

  /** Draw a curve; what is not finite parts it, and many instants on one pixel become its lowest and highest. */
  curve(pen, curve, frame) {
    const [first, last] = this.visible(curve, frame), crowded = frame.overTime && last - first > 3 * (this.box.right - this.box.left);
    pen.strokeStyle = tone(curve.color, frame.dark);
    pen.lineWidth = curve.width;
    pen.setLineDash(curve.dashes);
    pen.beginPath();
    let down = false, column = NaN, low = 0, high = 0, end = 0;
    const close = () => {
      if (down && crowded) stroke(pen, column, low, column, high), pen.moveTo(column, end);
      else if (down) pen.lineTo(column + 0.01, end); // a single instant is a dot
    };
    for (let k = first; k <= last; k++) {
      const x = this.toX(curve.x[k]), y = this.toY(curve.y[k]);
      if (!Number.isFinite(x) || !Number.isFinite(y)) {
        close();
        down = false;
        continue;
      }
      if (crowded && down && Math.abs(x - column) < 0.7) {
        low = Math.min(low, y);
        high = Math.max(high, y);
        end = y;
        continue;
      }
      if (crowded) close();
      if (down) pen.lineTo(x, y);
      else pen.moveTo(x, y);
      [down, column, low, high, end] = [true, x, y, y, y];
    }
    close();
    pen.stroke();
    pen.setLineDash([]);
  }

  /**
   * Draw what moves: the present time with a point on every curve, the place of the pointer, and the box of a zoom.
   * @param {number} time
   * @param {?{x: number, chart: Chart, point: ?{curve: Curve, x: number, y: number}}} hover
   * @param {?{chart: Chart, from: number[], to: number[]}} zoom [CSS pixels]
   */
  overlay(time, hover, zoom) {
    if (!this.box) return;
    const { frame } = this, ink = inks(frame.dark), { left, right, top, bottom } = this.box, now = this.toX(time);
    const together = frame.overTime && !hover && !zoom && this.curves.every((curve) => Math.abs(this.toX(value(curve, time, curve.x)) - now) < 1);
    const pen = this.moving(together ? now : null);
    pen.save();
    pen.beginPath();
    pen.rect(left - 5, top - 5, right - left + 10, bottom - top + 10);
    pen.clip();
    pen.lineWidth = 1;
    if (frame.overTime) {
      if (hover) line(pen, ink.pale, this.toX(hover.x), top, bottom);
      line(pen, ink.ink, now, top, bottom);
    }
    for (const curve of this.curves) {
      dot(pen, this.toX(value(curve, time, curve.x)), this.toY(value(curve, time, curve.y)), tone(curve.color, frame.dark), ink.paper);
    }
    if (hover?.point && hover.chart === this) {
      pen.strokeStyle = ink.ink;
      pen.beginPath();
      ring(pen, this.toX(hover.point.x), this.toY(hover.point.y), 5);
      pen.stroke();
    }
    if (zoom && (zoom.chart === this || frame.overTime)) this.zoomBox(pen, zoom, ink);
    pen.restore();
  }

  /** Draw the box that is being chosen; over time it reaches through all diagrams. */
  zoomBox(pen, zoom, ink) {
    const { top, bottom } = this.box, own = zoom.chart === this;
    const [x0, y0] = zoom.from, [x1, y1] = zoom.to, flat = this.frame.overTime && !own;
    pen.fillStyle = ink.pale;
    pen.globalAlpha = own ? 0.25 : 0.12;
    pen.fillRect(Math.min(x0, x1), flat ? top : Math.min(y0, y1), Math.abs(x1 - x0), flat ? bottom - top : Math.abs(y1 - y0));
    pen.globalAlpha = 1;
  }

  /**
   * Return the point of a curve nearest to a place: over time at that time, else the nearest instant.
   * @param {number} px [CSS pixels]
   * @param {number} py
   * @returns {?{curve: Curve, x: number, y: number, time: number}}
   */
  nearest(px, py) {
    let best = null, least = Infinity;
    const take = (curve, x, y, time, distance) => {
      if (distance < least) [least, best] = [distance, { curve, x, y, time }];
    };
    for (const curve of this.curves) {
      const { time } = curve.run;
      if (this.frame.overTime) {
        const t = Math.min(Math.max(this.fromX(px), time[0]), time[time.length - 1]), y = value(curve, t, curve.y);
        if (Number.isFinite(y)) take(curve, t, y, t, Math.abs(this.toY(y) - py));
        continue;
      }
      for (let k = 0; k < time.length; k++) {
        take(curve, curve.x[k], curve.y[k], time[k], Math.hypot(this.toX(curve.x[k]) - px, this.toY(curve.y[k]) - py));
      }
    }
    return best;
  }
}

/**
 * Return a column of a curve at a time, on a straight line between instants.
 * @param {Curve} curve
 * @param {number} t
 * @param {Float64Array} column
 * @returns {number} NaN where it is not known
 */
export function value(curve, t, column) {
  const { time } = curve.run, last = time.length - 1;
  if (t <= time[0]) return column[0];
  if (t >= time[last]) return column[last];
  const k = instant(time, t), part = (t - time[k]) / (time[k + 1] - time[k]);
  return part > 0 ? column[k] + part * (column[k + 1] - column[k]) : column[k];
}

/** Return a place in the middle of a pixel, where a line of one pixel is sharp. */
function crisp(x) {
  return Math.round(x) + 0.5;
}

/** Add a straight line to a path. */
function stroke(pen, x0, y0, x1, y1) {
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
}

/** Draw a vertical line. */
function line(pen, color, x, top, bottom) {
  pen.strokeStyle = color;
  pen.beginPath();
  stroke(pen, crisp(x), top, crisp(x), bottom);
  pen.stroke();
}

/** Add a circle to a path. */
function ring(pen, x, y, radius) {
  pen.moveTo(x + radius, y);
  pen.arc(x, y, radius, 0, 2 * Math.PI);
}

/** Draw a dot with a rim of paper. */
function dot(pen, x, y, color, paper) {
  if (!Number.isFinite(x) || !Number.isFinite(y)) return;
  pen.beginPath();
  ring(pen, x, y, 3.6);
  pen.fillStyle = color;
  pen.strokeStyle = paper;
  pen.fill();
  pen.stroke();
}
