// The eye on a spatial picture: no perspective, equal scales; orbit, pan and zoom by pointer, wheel and touch.

import { Gestures, within } from "./gestures.js";

/** Radians a pixel of dragging turns. */
const TURN = 0.008;

/** Standard views: azimuth and elevation of the eye [degrees]; "iso" is that of the pictures. */
const VIEWS = { iso: [-58, 22], front: [-90, 0], right: [0, 0], top: [-90, 90] };

/** Part of the canvas that the picture fills: the rest is for names. */
const FILLED = 0.9;

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/**
 * Return the direction that is up in a picture: against gravity where that is along an axis, else z.
 * @param {number[]|null} gravity
 * @returns {number[]}
 */
export function upward(gravity) {
  const size = gravity ? Math.hypot(...gravity) : 0, along = gravity?.find((g) => Math.abs(g) > 0.9999 * size);
  if (!(size > 0) || along === undefined) return [0, 0, 1];
  return gravity.map((g) => (g === along ? -Math.sign(g) : 0));
}

/** Return the 8 corners of a box, flat. */
function corners(low, high) {
  return Float32Array.from({ length: 24 }, (_, k) => ((Math.floor(k / 3) >> (k % 3)) & 1 ? high : low)[k % 3]);
}

/**
 * Return the least and greatest station of points along an axis.
 * @param {Float32Array} cloud flat
 * @param {number[]} axis
 * @param {number[]} from where stations begin
 * @returns {[number, number]}
 */
export function range(cloud, axis, from) {
  let least = Infinity, most = -Infinity;
  for (let k = 0; k < cloud.length; k += 3) {
    const station = (cloud[k] - from[0]) * axis[0] + (cloud[k + 1] - from[1]) * axis[1] + (cloud[k + 2] - from[2]) * axis[2];
    if (station < least) least = station;
    if (station > most) most = station;
  }
  return [least, most];
}

export class Camera {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {number[]} low corner of the box of everything [length]
   * @param {number[]} high
   * @param {number[]|null} gravity
   * @param {Float32Array} cloud points that are to be seen, flat; none: the corners of the box
   */
  constructor(canvas, low, high, gravity, cloud = new Float32Array()) {
    this.canvas = canvas;
    this.cloud = cloud.length ? cloud : corners(low, high);
    this.low = low;
    this.high = high;
    this.middle = low.map((x, k) => (x + high[k]) / 2);
    /** Half the diagonal of the box: lengths on the graphics card are measured by it. */
    this.radius = Math.hypot(...high.map((x, k) => x - low[k])) / 2 || 1;
    this.vertical = upward(gravity);
    const first = Math.abs(this.vertical[0]) > 0.5 ? [0, 1, 0] : [1, 0, 0];
    this.level = [first, cross(this.vertical, first)];
    this.width = this.height = this.ratio = this.scale = 1;
    this.target = [...this.middle];
    /** Whether the user has not moved the picture: then it is fitted again when the canvas changes. */
    this.fitted = true;
    /** @type {() => void} called when the picture was moved */
    this.onchange = () => {};
    this.turnTo(...VIEWS.iso.map((a) => (a * Math.PI) / 180));
    this.gestures = new Gestures(canvas, this, (dx, dy, event) => this.drag(dx, dy, event));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  /** Take the size of the canvas from the page; a hidden one keeps its size. */
  resize() {
    const box = this.canvas.getBoundingClientRect();
    if (!(box.width > 0 && box.height > 0)) return;
    [this.width, this.height, this.ratio] = [box.width, box.height, window.devicePixelRatio || 1];
    if (this.fitted) this.fit();
  }

  /** Look from a direction: azimuth from the first level axis, elevation above the level [rad]. */
  turnTo(azimuth, elevation) {
    this.azimuth = azimuth;
    this.elevation = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, elevation));
    const [e, f] = this.level, c = Math.cos(azimuth), s = Math.sin(azimuth), flat = Math.cos(this.elevation), high = Math.sin(this.elevation);
    /** Direction to the eye, and what is right and up on the screen: unit vectors in ground. */
    this.eye = e.map((x, k) => flat * (c * x + s * f[k]) + high * this.vertical[k]);
    this.right = e.map((x, k) => -s * x + c * f[k]);
    this.up = cross(this.eye, this.right);
  }

  /**
   * Take a standard view and show everything.
   * @param {string} name "iso", "front", "right" or "top"
   */
  view(name) {
    this.turnTo(...(VIEWS[name] ?? VIEWS.iso).map((a) => (a * Math.PI) / 180));
    this.fit();
  }

  /** Show everything. */
  fit() {
    const [x, y] = this.extent(), off = [this.right, this.up].map((axis) => range(this.cloud, axis, this.middle)).map(([a, b]) => (a + b) / 2);
    this.scale = FILLED * Math.min(this.width / x, this.height / y);
    this.target = this.middle.map((m, k) => m + off[0] * this.right[k] + off[1] * this.up[k]);
    this.fitted = true;
  }

  /** Return width and height of everything as it is seen, never zero. */
  extent() {
    const sizes = [this.right, this.up].map((axis) => range(this.cloud, axis, this.middle)).map(([a, b]) => b - a);
    const least = 1e-3 * Math.max(...sizes) || 2 * this.radius;
    return sizes.map((size) => Math.max(size, least));
  }

  /**
   * Return where a point of the ground lies on the canvas [CSS pixels].
   * @param {ArrayLike<number>} point
   * @returns {[number, number]}
   */
  onScreen(point) {
    const away = [point[0] - this.target[0], point[1] - this.target[1], point[2] - this.target[2]];
    return [this.width / 2 + this.scale * dot(away, this.right), this.height / 2 - this.scale * dot(away, this.up)];
  }

  /** Return how near to the eye a point is [length]. */
  nearness(point) {
    return dot([point[0] - this.middle[0], point[1] - this.middle[1], point[2] - this.middle[2]], this.eye);
  }

  /**
   * Return the matrix from lengths over the radius, measured from the middle of the box, to the screen, column by column.
   * @param {number} [wide] of the part of the screen that is looked at [CSS pixels]
   * @param {number} [high]
   * @param {number[]} [at] its middle
   * @returns {Float32Array} 16 numbers
   */
  matrix(wide = this.width, high = this.height, at = [this.width / 2, this.height / 2]) {
    const k = this.scale * this.radius, [x, y] = this.onScreen(this.middle), deep = 1 / 8; // far more than a diagonal may be moved
    const { right, up, eye } = this, h = (2 * k) / wide, v = (2 * k) / high;
    return new Float32Array([
      h * right[0], v * up[0], -deep * eye[0], 0, h * right[1], v * up[1], -deep * eye[1], 0, h * right[2], v * up[2], -deep * eye[2], 0,
      (2 * (x - at[0])) / wide, (-2 * (y - at[1])) / high, 0, 1,
    ]);
  }

  /** Zoom by a factor about a point of the canvas, which stays where it is. */
  zoom(factor, x, y) {
    const [wide, high] = this.extent(), whole = Math.min(this.width / wide, this.height / high);
    const scale = within(this.scale * factor, whole);
    const more = 1 / this.scale - 1 / scale, dx = (x - this.width / 2) * more, dy = (this.height / 2 - y) * more;
    this.target = this.target.map((t, k) => t + dx * this.right[k] + dy * this.up[k]);
    this.scale = scale;
    this.fitted = false;
    this.onchange();
  }

  /** Move the picture on the canvas [CSS pixels]. */
  pan(dx, dy) {
    this.target = this.target.map((t, k) => t - (dx * this.right[k] - dy * this.up[k]) / this.scale);
    this.fitted = false;
    this.onchange();
  }

  /** Turn the picture as if a pointer dragged it; one that is fitted stays so. */
  orbit(dx, dy) {
    this.turnTo(this.azimuth - TURN * dx, this.elevation + TURN * dy);
    this.onchange();
  }

  /** One pointer turns the picture, with shift or another button moves it. */
  drag(dx, dy, event) {
    if (event.shiftKey || event.buttons & 6) this.pan(dx, dy);
    else this.orbit(dx, dy);
  }
}
