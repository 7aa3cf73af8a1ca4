// Springs, cylinders and rods between two points, as view/stretch.py and view/geometry.py lay them.

const COILS = 7;
const TUBE = 0.88, ROD = 0.92;

/** Radius of a cylinder's rod over that of its tube, and how pale the two are. */
export const ROD_WIDTH = 0.42;
export const TUBE_PALENESS = 0.88;
export const ROD_PALENESS = 0.72;

/**
 * Return the line of a spring in the plane: straight ends and teeth between them.
 * @param {number[]} a
 * @param {number[]} b
 * @param {number} half half the width
 * @returns {number[][]}
 */
export function zigzag(a, b, half) {
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  if (!(length > 0)) return [a, b];
  const u = [(b[0] - a[0]) / length, (b[1] - a[1]) / length], lead = Math.min(0.15 * length, 3 * half), points = [a];
  for (let k = 0; k <= 2 * COILS; k++) {
    const s = lead + ((length - 2 * lead) * k) / (2 * COILS), off = k === 0 || k === 2 * COILS ? 0 : k % 2 ? -half : half;
    points.push([a[0] + u[0] * s - u[1] * off, a[1] + u[1] * s + u[0] * off]);
  }
  points.push(b);
  return points;
}

/**
 * Return the parts of a cylinder on its axis: the tube from start to mouth, the rod from the piston inside it to the end.
 * @param {number[]} a
 * @param {number[]} b
 * @param {number} rest shortest length over the motion
 * @returns {{start: number[], mouth: number[], piston: number[], end: number[]}}
 */
export function cylinder(a, b, rest) {
  const length = Math.hypot(...a.map((x, k) => b[k] - x));
  if (!(length > 0)) return { start: a, mouth: a, piston: b, end: b };
  const at = (s) => a.map((x, k) => x + ((b[k] - x) * s) / length);
  const tube = rest > 0 ? TUBE * Math.min(rest, length) : 0.5 * length;
  const piston = Math.min(Math.max(length - (ROD * tube) / TUBE, 0.04 * tube), 0.96 * tube);
  return { start: a, mouth: at(tube), piston: at(piston), end: b };
}

/**
 * Return the corners of a bar in the plane.
 * @param {number[]} a
 * @param {number[]} b
 * @param {number} half half the width
 * @returns {number[][]}
 */
export function bar(a, b, half) {
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
  const x = (-(b[1] - a[1]) / length) * half, y = ((b[0] - a[0]) / length) * half;
  return [[a[0] - x, a[1] - y], [b[0] - x, b[1] - y], [b[0] + x, b[1] + y], [a[0] + x, a[1] + y]];
}
