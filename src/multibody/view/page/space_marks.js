// What stands on a spatial picture besides the mechanism: the ground's grid, paths of points, arrows, and the axes.

import { between, placedPoint, tone } from "./common.js";
import { range } from "./camera.js";
import { ARROWS, drawArrow, drawWithin, roundBelow } from "./flat_marks.js";

const AXES = [["x", "#b3434b"], ["y", "#3f9150"], ["z", "#2f6fb0"]];

/**
 * Return the lines of a grid on the ground, under everything.
 * @param {import("./camera.js").Camera} camera
 * @returns {{lines: number[][], step: number}} each line two points, flat, in ground
 */
export function gridLines(camera) {
  const { vertical, level } = camera, [floor, ...ranges] = [vertical, ...level].map((axis, k) => (k ? range(camera.cloud, axis, [0, 0, 0]) : range(camera.cloud, axis, [0, 0, 0])[0]));
  const step = roundBelow(Math.max(...ranges.map(([a, b]) => b - a), 1e-3 * camera.radius) / 5), lines = [];
  const [u, v] = ranges.map(([a, b]) => [Math.floor(a / step - 0.01) * step, Math.ceil(b / step + 0.01) * step]);
  const point = (a, b) => [0, 1, 2].map((k) => a * level[0][k] + b * level[1][k] + floor * vertical[k]);
  for (let a = u[0]; a <= u[1] + 0.1 * step; a += step) lines.push([...point(a, v[0]), ...point(a, v[1])]);
  for (let b = v[0]; b <= v[1] + 0.1 * step; b += step) lines.push([...point(u[0], b), ...point(u[1], b)]);
  return { lines, step };
}

/**
 * Return the path of a body's point over a whole run, flat, in ground.
 * @param {object} run
 * @param {number} body
 * @param {number[]} point in body axes from the center of mass
 * @returns {number[]}
 */
export function pathInSpace(run, body, point) {
  const row = run.poses.length / run.time.length, found = [];
  for (let k = 0; k < run.time.length; k++) {
    const at = k * row + 7 * (body - 1);
    const pose = body ? run.poses.slice(at, at + 7) : [0, 0, 0, 1, 0, 0, 0];
    found.push(...placedPoint(pose, 3, 0, point));
  }
  return found;
}

/**
 * Draw the arrows of a run at a time over the picture.
 * @param {CanvasRenderingContext2D} context in CSS pixels
 * @param {import("./camera.js").Camera} camera
 * @param {object} run
 * @param {number} time
 * @param {Float64Array} poses
 * @param {Object<string, number>} scales length on the drawing of one unit, by sort; 0: none
 * @param {boolean} dark
 * @param {string} paper
 */
export function drawSpaceArrows(context, camera, run, time, poses, scales, dark, paper) {
  const { rows, weights } = between(run.time, time, false), found = [];
  for (const arrow of run.arrows ?? []) {
    const scale = scales[arrow.sort];
    if (!(scale > 0)) continue;
    const vector = [0, 1, 2].map((c) => rows.reduce((sum, r, i) => sum + weights[i] * arrow.vector[3 * r + c], 0));
    if (!vector.every(Number.isFinite)) continue;
    const from = placedPoint(poses, 3, arrow.body, arrow.point), to = from.map((x, k) => x + scale * vector[k]);
    found.push({ from, to, sort: arrow.sort, near: camera.nearness(to) });
  }
  found.sort((a, b) => a.near - b.near);
  for (const { from, to, sort } of found) drawWithin(context, camera, camera.onScreen(from), camera.onScreen(to), tone(ARROWS[sort], dark), paper);
}

/**
 * Draw the three axes as they are turned, in the lower right corner.
 * @param {CanvasRenderingContext2D} context in CSS pixels
 * @param {import("./camera.js").Camera} camera
 * @param {{paper: string}} ink
 * @param {boolean} dark
 * @param {string} font
 */
export function drawAxes(context, camera, ink, dark, font) {
  const x = camera.width - 44, y = camera.height - 42, length = 26;
  const seen = AXES.map(([name, color], k) => ({ name, color: tone(color, dark), dx: camera.right[k], dy: -camera.up[k], near: camera.eye[k] }));
  seen.sort((a, b) => a.near - b.near);
  context.font = `11px ${font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const { name, color, dx, dy } of seen) {
    drawArrow(context, [x, y], [x + length * dx, y + length * dy], color, ink.paper, 1.5);
    const size = Math.hypot(dx, dy);
    if (size < 0.15) continue; // it points to the eye
    context.fillStyle = color;
    context.fillText(name, x + (length + 9) * dx, y + (length + 9) * dy);
  }
}

/**
 * Draw an arrow along gravity in the upper right corner, as long as it is seen.
 * @param {CanvasRenderingContext2D} context in CSS pixels
 * @param {import("./camera.js").Camera} camera
 * @param {number[]} gravity
 * @param {{pale: string, paper: string}} ink
 * @param {string} font
 */
export function drawSpaceGravity(context, camera, gravity, ink, font) {
  const size = Math.hypot(...gravity) || 1, seen = (axis) => gravity.reduce((sum, g, k) => sum + (g * axis[k]) / size, 0);
  const dx = seen(camera.right), dy = -seen(camera.up), x = camera.width - 24, y = 30, side = dy >= 0 ? [-dy, dx] : [dy, -dx];
  if (Math.hypot(dx, dy) < 0.15) endOn(context, x, y, ink.pale, seen(camera.eye) > 0);
  else drawArrow(context, [x - 16 * dx, y - 16 * dy], [x + 16 * dx, y + 16 * dy], ink.pale, ink.paper, 1.5);
  const length = Math.hypot(...side);
  context.font = `italic 13px ${font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillStyle = ink.pale;
  context.fillText("g", x + (length > 0.15 ? (11 * side[0]) / length : -11), y + (length > 0.15 ? (11 * side[1]) / length : 0));
}

/** Draw a vector along the line of sight: a point in a circle if it comes, a cross if it goes. */
function endOn(context, x, y, color, coming) {
  context.strokeStyle = context.fillStyle = color;
  context.lineWidth = 1.5;
  context.beginPath();
  context.arc(x, y, 5, 0, 2 * Math.PI);
  for (const side of coming ? [] : [-3.5, 3.5]) {
    context.moveTo(x - 3.5, y - side);
    context.lineTo(x + 3.5, y + side);
  }
  context.stroke();
  context.beginPath();
  if (coming) context.arc(x, y, 1.5, 0, 2 * Math.PI);
  context.fill();
}
