// A spatial drawing as rows of numbers for the graphics card: solids, transparent faces, lines and dots.

import { matrix, placedPoint, posesAt } from "./common.js";
import { cylinder, ROD_WIDTH } from "./stretch.js";

/** CSS pixels a point of the printer. */
const POINT = 96 / 72;

/** Numbers in a row of each sort. */
export const WIDTHS = { solid: 14, line: 15, dot: 8 };

/** Kinds of solids, as the shader counts them. */
export const KINDS = { tube: 0, ball: 1, box: 2, mesh: 3 };

/** Sides of round things, from thin ones to large ones that nobody should see corners of. */
export const SIDES = { tiny: 6, small: 10, usual: 20, fine: 48 };

/** Return how many sides a round thing has, by its radius over that of everything, in words. */
function fineness(radius) {
  return radius < 0.006 ? "tiny" : radius < 0.018 ? "small" : radius < 0.045 ? "usual" : "fine";
}

const SOLID = [0, 0, 0, 0];
const TURNS = 8;

/**
 * @typedef {object} Batch
 * @property {"solid"|"line"|"dot"|"mesh"|"face"} sort
 * @property {string} kind of solids
 * @property {"moving"|"still"|"symbol"} group what earlier poses show, what they do not, and what can be switched off
 * @property {boolean} clear whether it can be looked through
 * @property {number[]} rows
 * @property {{color: string, alpha: number}[]} inks one for every row
 */

/** Return two unit vectors across an axis. */
export function across(axis) {
  const size = Math.hypot(...axis) || 1, h = axis.map((x) => x / size), least = Math.min(...h.map(Math.abs));
  const k = h.findIndex((x) => Math.abs(x) === least), other = [0, 0, 0];
  other[k] = 1;
  const f = cross(other, h), length = Math.hypot(...f);
  const unit = f.map((x) => x / length);
  return [unit, cross(h, unit)];
}

function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** Return center and half axes of a tube. */
function tubeAxes(a, b, radius) {
  const half = a.map((x, k) => (b[k] - x) / 2), [f, g] = across(half);
  return [...a.map((x, k) => x + half[k]), ...f.map((x) => radius * x), ...g.map((x) => radius * x), ...half];
}

/** Return center and half axes of a box by its 8 corners; a flat one has a little height. */
function boxAxes(points) {
  const corner = (k) => [points[3 * k], points[3 * k + 1], points[3 * k + 2]], first = corner(0), last = corner(6);
  let edges = [1, 3, 4].map((k) => corner(k).map((x, i) => (x - first[i]) / 2));
  if (edges[0].reduce((sum, x, k) => sum + x * cross(edges[1], edges[2])[k], 0) < 0) edges = [edges[1], edges[0], edges[2]];
  return [...first.map((x, k) => (x + last[k]) / 2), ...edges.flat()];
}

/** Return center and half axes of a solid stroke. */
function axesOf(stroke) {
  const p = stroke.points, r = stroke.radius;
  if (stroke.kind === "tube") return tubeAxes([p[0], p[1], p[2]], [p[3], p[4], p[5]], r);
  if (stroke.kind === "ball") return [p[0], p[1], p[2], r, 0, 0, 0, r, 0, 0, 0, r];
  return boxAxes(p);
}

/**
 * Return the rows of a line: its segments between gaps.
 * @param {ArrayLike<number>} points flat; NaN parts it
 * @param {number} unit length that counts as 1
 * @param {{width: number, pull: number, dashes?: number[], body: number, owner: number}} style width and dashes in points
 * @returns {number[]}
 */
export function lineRows(points, unit, style) {
  const rows = [], dashes = style.dashes?.length ? dashesOf(style.dashes) : SOLID;
  let station = 0;
  for (let k = 0; k + 5 < points.length; k += 3) {
    const from = [points[k], points[k + 1], points[k + 2]].map((x) => x / unit), to = [points[k + 3], points[k + 4], points[k + 5]].map((x) => x / unit);
    const length = Math.hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
    if (!Number.isFinite(length)) {
      station = 0;
      continue;
    }
    rows.push(...from, ...to, style.width * POINT, style.pull, station, ...dashes, style.body, style.owner);
    station += length;
  }
  return rows;
}

/**
 * Return tubes as lines from end to end, whose width is a length.
 * @param {number[]} rows of solids
 * @returns {{rows: number[], thickest: number}} the largest diameter too
 */
export function thinRows(rows) {
  const found = [];
  let thickest = 0;
  for (let at = 0; at < rows.length; at += WIDTHS.solid) {
    const [cx, cy, cz, fx, fy, fz, , , , hx, hy, hz, body, owner] = rows.slice(at, at + WIDTHS.solid), width = 2 * Math.hypot(fx, fy, fz);
    found.push(cx - hx, cy - hy, cz - hz, cx + hx, cy + hy, cz + hz, width, 0, 0, ...SOLID, body, owner);
    thickest = Math.max(thickest, width);
  }
  return { rows: found, thickest };
}

/** Return dash, gap, dash, gap in pixels. */
function dashesOf(dashes) {
  const four = dashes.length === 2 ? [...dashes, ...dashes] : dashes.slice(0, 4);
  return four.map((x) => x * POINT);
}

/**
 * Return everything of a drawing that is fixed in bodies.
 * @param {object} drawing
 * @param {number} unit length that counts as 1
 * @returns {Batch[]}
 */
export function batchesOf(drawing, unit) {
  const batches = new Map();
  const batch = (sort, kind, group, clear) => {
    const key = `${sort} ${kind} ${group} ${clear}`;
    if (!batches.has(key)) batches.set(key, { sort, kind, group, clear, rows: [], inks: [], strokes: [] });
    return batches.get(key);
  };
  for (const stroke of drawing.strokes) {
    const group = stroke.symbol ? "symbol" : stroke.ghost && stroke.body > 0 ? "moving" : "still", { color, alpha } = stroke;
    const pull = (stroke.level * drawing.size) / unit, tag = [stroke.body, stroke.owner];
    const ink = { color, alpha };
    if (stroke.kind === "line") {
      const found = batch("line", "", group, false), rows = lineRows(stroke.points, unit, { width: stroke.width, pull: 0, dashes: stroke.dashes, body: stroke.body, owner: stroke.owner });
      found.rows.push(...rows);
      for (let k = 0; k < rows.length; k += WIDTHS.line) found.inks.push(ink);
    } else if (stroke.kind === "dot") {
      const found = batch("dot", "", group, false);
      found.rows.push(...[0, 1, 2].map((k) => stroke.points[k] / unit), stroke.width * POINT, Math.max(pull, 0), 0, ...tag);
      found.inks.push(ink);
    } else if (stroke.kind === "faces") {
      batch("face", "", group, true).strokes.push(stroke);
      if (stroke.width > 0) addRim(batch("line", "", group, false), stroke, unit, ink);
    } else if (stroke.kind === "mesh") {
      batch("mesh", String(batches.size), group, alpha < 1).strokes.push(stroke);
    } else {
      const found = batch("solid", stroke.kind === "box" ? "box" : `${fineness(stroke.radius / unit)} ${stroke.kind}`, group, alpha < 1);
      found.rows.push(...axesOf(stroke).map((x) => x / unit), ...tag);
      found.inks.push(ink);
    }
  }
  return [...batches.values()];
}

/** Add the rim of a face to a batch of lines. */
function addRim(found, stroke, unit, ink) {
  const closed = [...stroke.points, ...stroke.points.slice(0, 3)];
  const rows = lineRows(closed, unit, { width: stroke.width, pull: 0, body: stroke.body, owner: stroke.owner });
  found.rows.push(...rows);
  for (let k = 0; k < rows.length; k += WIDTHS.line) found.inks.push({ color: ink.color, alpha: 1 });
}

/**
 * Return the corners and triangles of a plate for the graphics card.
 * @param {object} stroke
 * @param {number} unit
 * @returns {{points: number[][], normal: number[], triangles: number[][]}}
 */
export function fan(stroke, unit) {
  const points = [];
  for (let k = 0; k < stroke.points.length; k += 3) points.push([0, 1, 2].map((i) => stroke.points[k + i] / unit));
  const u = points[1].map((x, k) => x - points[0][k]), v = points[2].map((x, k) => x - points[1][k]), n = cross(u, v), size = Math.hypot(...n) || 1;
  return { points, normal: n.map((x) => x / size), triangles: points.slice(2).map((_, k) => [0, k + 1, k + 2]) };
}

/**
 * Return points that a picture of all motions has to show.
 * @param {object} data
 * @param {number} [most] points, about
 * @returns {Float32Array} flat, in ground
 */
export function cloudOf(data, most = 30000) {
  const { strokes } = data.drawing, solid = strokes.filter(({ kind, body }) => kind !== "mesh" && kind !== "line" || body === 0);
  const meshes = strokes.filter((stroke) => stroke.kind === "mesh" && stroke.body > 0).map(boxed);
  const spots = [...solid, ...meshes].flatMap(spotsOf).sort((a, b) => a.body - b.body), found = [];
  const instants = Math.max(2, Math.floor(most / Math.max(1, spots.length) / data.runs.length));
  for (const run of data.runs) {
    const count = run.time.length, step = Math.max(1, Math.ceil(count / instants));
    for (let k = 0; k < count; k += step) {
      const poses = posesAt(run, run.time[k], 3);
      let last = -1, R = null;
      for (const { body, point: [x, y, z] } of spots) {
        const p = 7 * body;
        if (body !== last) [last, R] = [body, matrix(poses, p + 3)];
        const u = poses[p] + R[0] * x + R[1] * y + R[2] * z, v = poses[p + 1] + R[3] * x + R[4] * y + R[5] * z, w = poses[p + 2] + R[6] * x + R[7] * y + R[8] * z;
        if (Number.isFinite(u + v + w)) found.push(u, v, w);
      }
    }
  }
  return Float32Array.from(found);
}

/** Return points of a stroke that bound it, of round ones points on their skin. */
function spotsOf({ kind, body, points, radius }) {
  const found = [], at = (k) => [points[3 * k], points[3 * k + 1], points[3 * k + 2]];
  const count = kind === "line" ? Math.min(points.length / 3, 200) : points.length / 3;
  const sides = kind === "ball" ? [[1, 0, 0], [0, 1, 0], [0, 0, 1]] : kind === "tube" ? across(at(1).map((x, k) => x - at(0)[k])) : [];
  for (let k = 0; k < count; k++) {
    if (!sides.length) found.push({ body, point: at(k) });
    for (const side of sides) for (const sign of [-radius, radius]) found.push({ body, point: at(k).map((x, i) => x + sign * side[i]) });
  }
  return found;
}

/** Return the box of a mesh, as a stroke. */
function boxed({ body, points }) {
  const range = [0, 1, 2].map((k) => {
    let least = Infinity, most = -Infinity;
    for (let i = k; i < points.length; i += 3) [least, most] = [Math.min(least, points[i]), Math.max(most, points[i])];
    return [least, most];
  });
  return { kind: "box", body, radius: 0, points: Array.from({ length: 24 }, (_, k) => range[k % 3][(Math.floor(k / 3) >> (k % 3)) & 1]) };
}

/**
 * Return springs, cylinders and rods as they lie at a pose.
 * @param {object[]} things stretched
 * @param {Float64Array} poses
 * @param {number} unit length that counts as 1
 * @returns {{tubes: Batch, lines: Batch}} of the ground
 */
export function stretchedRows(things, poses, unit) {
  const tubes = { rows: [], inks: [] }, lines = { rows: [], inks: [] };
  const steps = things.length > 60 ? 5 : 12;
  for (const thing of things) {
    const [a, b] = thing.bodies.map((body, k) => placedPoint(poses, 3, body, thing.points, 3 * k)), ink = { color: thing.color, alpha: 1 };
    const length = Math.hypot(...a.map((x, k) => b[k] - x));
    if (!(length > 0)) continue;
    if (thing.kind === "spring") {
      const rows = lineRows(coil(a, b, thing.size, steps), unit, { width: 1.6 * thing.width, pull: 0, body: 0, owner: thing.owner });
      lines.rows.push(...rows);
      for (let k = 0; k < rows.length; k += WIDTHS.line) lines.inks.push(ink);
      continue;
    }
    const { start, mouth, piston, end } = cylinder(a, b, thing.rest);
    const parts = thing.kind === "cylinder" ? [[start, mouth, thing.size], [piston, end, ROD_WIDTH * thing.size]] : [[a, b, thing.size]];
    for (const [from, to, radius] of parts) {
      if (!(Math.hypot(...from.map((x, k) => to[k] - x)) > 1e-9 * length)) continue;
      tubes.rows.push(...tubeAxes(from, to, radius).map((x) => x / unit), 0, thing.owner);
      tubes.inks.push(ink);
    }
  }
  return { tubes, lines };
}

/** Return the line of a coil spring with straight leads, flat. */
function coil(a, b, radius, steps) {
  const span = a.map((x, k) => b[k] - x), [f, g] = across(span), points = [...a], count = TURNS * steps;
  for (let k = 0; k <= count; k++) {
    const s = 0.12 + (0.76 * k) / count, angle = (2 * Math.PI * TURNS * k) / count, c = radius * Math.cos(angle), d = radius * Math.sin(angle);
    for (let i = 0; i < 3; i++) points.push(a[i] + span[i] * s + c * f[i] + d * g[i]);
  }
  return [...points, ...b];
}
