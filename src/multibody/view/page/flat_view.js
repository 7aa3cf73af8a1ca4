// Where the plane lies on the screen: fit, pan and zoom by pointer, wheel and touch.

import { Gestures, within } from "./gestures.js";

export class FlatView {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {number[]} low lower left of what is to be seen [length]
   * @param {number[]} high upper right
   */
  constructor(canvas, low, high) {
    this.canvas = canvas;
    this.low = low;
    this.high = high;
    this.width = this.height = this.ratio = 1;
    /** Pixels a length, and the point of the plane in the middle of the canvas. */
    this.scale = 1;
    this.center = [0, 0];
    /** Whether the user has not moved the picture: then it is fitted again when the canvas changes. */
    this.fitted = true;
    /** @type {() => void} called when the picture was moved */
    this.onchange = () => {};
    this.gestures = new Gestures(canvas, this);
  }

  /** Take the size of the canvas from the page; a hidden one keeps its size. */
  resize() {
    const box = this.canvas.getBoundingClientRect();
    if (!(box.width > 0 && box.height > 0)) return;
    [this.width, this.height, this.ratio] = [box.width, box.height, window.devicePixelRatio || 1];
    const wide = Math.max(1, Math.round(this.width * this.ratio)), high = Math.max(1, Math.round(this.height * this.ratio));
    if (this.canvas.width !== wide) this.canvas.width = wide;
    if (this.canvas.height !== high) this.canvas.height = high;
    if (this.fitted) this.fit();
  }

  /** Show everything. */
  fit() {
    const [x, y] = this.extent();
    this.scale = Math.min((0.96 * this.width) / x, (0.96 * this.height) / y);
    this.center = [(this.low[0] + this.high[0]) / 2, (this.low[1] + this.high[1]) / 2];
    this.fitted = true;
  }

  /** Return width and height of what is to be seen, never zero. */
  extent() {
    const x = this.high[0] - this.low[0], y = this.high[1] - this.low[1], most = Math.max(x, y) || 1;
    return [x || most, y || most];
  }

  /**
   * Return where a point of the plane lies on the canvas [CSS pixels].
   * @param {ArrayLike<number>} point
   * @returns {[number, number]}
   */
  onScreen(point) {
    const { scale, center } = this;
    return [this.width / 2 + scale * (point[0] - center[0]), this.height / 2 - scale * (point[1] - center[1])];
  }

  /** Return the point of the plane under a point of the canvas. */
  under(x, y) {
    return [this.center[0] + (x - this.width / 2) / this.scale, this.center[1] - (y - this.height / 2) / this.scale];
  }

  /**
   * Return the transform of a body for a canvas: body axes to device pixels.
   * @param {number} x of its center of mass
   * @param {number} y
   * @param {number} angle
   * @returns {[number, number, number, number, number, number]}
   */
  transform(x, y, angle) {
    const k = this.scale * this.ratio, c = k * Math.cos(angle), s = k * Math.sin(angle), [u, v] = this.onScreen([x, y]);
    return [c, -s, -s, -c, u * this.ratio, v * this.ratio];
  }

  /** Zoom by a factor about a point of the canvas, which stays where it is. */
  zoom(factor, x, y) {
    const [wide, high] = this.extent(), whole = Math.min(this.width / wide, this.height / high);
    const scale = within(this.scale * factor, whole), [px, py] = this.under(x, y);
    this.scale = scale;
    this.center = [px - (x - this.width / 2) / scale, py + (y - this.height / 2) / scale];
    this.fitted = false;
    this.onchange();
  }

  /** Move the picture on the canvas. */
  pan(dx, dy) {
    this.center = [this.center[0] - dx / this.scale, this.center[1] + dy / this.scale];
    this.fitted = false;
    this.onchange();
  }
}
