// Outlines of planar strokes as canvas paths in body axes, fine for a close look and coarse for a far one.

/** Below this size on the screen an outline is coarse [pixels], and by how much of its size it may be off then. */
const FAR = 40, OFF = 1 / 80;

export class Outline {
  /** @param {object} stroke of the drawing */
  constructor(stroke) {
    this.stroke = stroke;
    const points = stroke.points;
    let left = Infinity, right = -Infinity, bottom = Infinity, top = -Infinity;
    for (let k = 0; k < points.length; k += 2) {
      const x = points[k], y = points[k + 1];
      if (!(x + y < Infinity)) continue; // a gap of a line
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < bottom) bottom = y;
      if (y > top) top = y;
    }
    /** A circle about all of it, in body axes. */
    this.middle = [(left + right) / 2, (bottom + top) / 2];
    this.reach = Math.hypot(right - left, top - bottom) / 2 + stroke.radius;
    this.fine = this.coarse = this.spread = null;
  }

  /**
   * Return points along the outline, evenly spread, and inside it: what a name had better not cover.
   * @returns {number[][]} in body axes
   */
  samples() {
    const { stroke, middle } = this;
    if (stroke.points.length <= 2) return [middle];
    return (this.spread ??= [...evenly(stroke), ...(stroke.kind === "area" ? evenly(stroke, middle) : [])]);
  }

  /**
   * Return the path to draw.
   * @param {number} scale pixels a length
   * @returns {Path2D}
   */
  path(scale) {
    if (2 * this.reach * scale < FAR && this.stroke.kind !== "circle" && this.stroke.points.length > 24) {
      return (this.coarse ??= traced(this.stroke, 2 * this.reach * OFF));
    }
    return (this.fine ??= traced(this.stroke, 0));
  }
}

/** Return a path through the points of a stroke, without those that are not needed at a tolerance. */
function traced(stroke, tolerance) {
  const path = new Path2D();
  if (stroke.kind === "circle") {
    path.arc(stroke.points[0], stroke.points[1], stroke.radius, 0, 2 * Math.PI);
    return path;
  }
  for (const outline of [stroke.points, stroke.hole ?? []]) {
    for (const part of parts(outline)) {
      const kept = tolerance > 0 ? thinned(part, tolerance) : part;
      kept.forEach(([x, y], k) => (k ? path.lineTo(x, y) : path.moveTo(x, y)));
      if (stroke.kind === "area") path.closePath();
    }
  }
  return path;
}

/** Return about 24 points along a stroke, drawn half the way to a point where one is given. */
function evenly(stroke, toward = null) {
  const found = [];
  for (const part of parts(stroke.points)) {
    const line = stroke.kind === "area" ? [...part, part[0]] : part;
    const lengths = line.slice(1).map(([x, y], k) => Math.hypot(x - line[k][0], y - line[k][1]));
    const step = lengths.reduce((sum, x) => sum + x, 0) / 24;
    let left = 0;
    lengths.forEach((length, k) => {
      for (; step > 0 && left < length; left += step) {
        found.push(line[k].map((x, c) => x + ((line[k + 1][c] - x) * left) / length));
      }
      left -= length;
    });
  }
  const few = found.filter((_, k) => k % Math.ceil(found.length / 48) === 0); // hatching is made of many short lines
  return toward ? few.map((p) => p.map((x, c) => (x + toward[c]) / 2)) : few;
}

/** Return the pieces of a line that gaps part. */
function parts(points) {
  const found = [];
  let current = [];
  for (let k = 0; k < points.length; k += 2) {
    if (Number.isFinite(points[k]) && Number.isFinite(points[k + 1])) current.push([points[k], points[k + 1]]);
    else if (current.length) {
      found.push(current);
      current = [];
    }
  }
  if (current.length) found.push(current);
  return found;
}

/** Return the points of a line that are farther than a tolerance from the line through fewer of them (Douglas, Peucker). */
function thinned(line, tolerance) {
  const keep = new Uint8Array(line.length), open = [[0, line.length - 1]];
  keep[0] = keep[line.length - 1] = 1;
  while (open.length) {
    const [first, last] = open.pop();
    let most = tolerance, at = -1;
    for (let k = first + 1; k < last; k++) {
      const off = distance(line[k], line[first], line[last]);
      if (off > most) [most, at] = [off, k];
    }
    if (at > 0) {
      keep[at] = 1;
      open.push([first, at], [at, last]);
    }
  }
  return line.filter((_, k) => keep[k]);
}

/**
 * Return the distance of a point from a segment.
 * @param {number[]} p
 * @param {number[]} a
 * @param {number[]} b
 * @returns {number}
 */
export function distance(p, a, b) {
  const x = b[0] - a[0], y = b[1] - a[1], square = x * x + y * y;
  const part = square > 0 ? Math.min(1, Math.max(0, ((p[0] - a[0]) * x + (p[1] - a[1]) * y) / square)) : 0;
  return Math.hypot(p[0] - a[0] - part * x, p[1] - a[1] - part * y);
}
