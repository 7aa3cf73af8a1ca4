// From the packed data of the page to the arrays that stages, curves and panels read.

import { raw, unpacked } from "./common.js";

/** What a stroke has where the data says nothing. */
const USUAL = { level: 0, paleness: 0.55, alpha: 1, width: 1.2, radius: 0, ghost: true, symbol: false };

/**
 * Return the page's data with all arrays unpacked.
 * @param {object} packed as content.py wrote it
 * @returns {Promise<object>}
 */
export async function decoded(packed) {
  const runs = await Promise.all(packed.runs.map((run) => motion(run, packed.dimension)));
  const drawings = await Promise.all(packed.drawings.map((one) => drawing(one, runs)));
  return { ...packed, drawings, drawing: drawings[0], runs };
}

/** Return a drawing with its points. */
async function drawing(packed, runs) {
  const strokes = await Promise.all(packed.strokes.map(stroke));
  const stretched = packed.stretched.map((item) => ({ ...item, points: floats(item.points) }));
  const wanderers = packed.wanderers.map((item, k) => ({ ...item, places: runs.map((run) => run.places?.[k] ?? null) }));
  return { ...packed, strokes, stretched, wanderers };
}

/** Return a stroke with its points. */
async function stroke(item) {
  const found = { ...USUAL, dashes: [], ...item, points: await points(item.points) };
  found.hole = item.hole ? await points(item.hole) : null;
  found.triangles = item.triangles ? await raw(item.triangles) : null;
  return found;
}

/** Return points that were written or packed. */
async function points(given) {
  return Array.isArray(given) ? floats(given) : raw(given);
}

/** Return numbers as an array; gaps were null. */
function floats(list) {
  return Float32Array.from(list, (x) => (x === null ? NaN : x));
}

/** Return a motion with its arrays. */
async function motion(run, dimension) {
  const [time, poses, values, beside] = await Promise.all([
    raw(run.time), unpacked(run.poses), unpacked(run.values), unpacked(run.beside),
  ]);
  const paths = run.paths.map((path, k) => ({ ...path, values: values[k] }));
  const arrows = run.arrows.map((arrow) => {
    const columns = arrow.paths ? arrow.paths.map((k) => values[k]) : beside.slice(arrow.beside, arrow.beside + dimension);
    return { ...arrow, vector: interleaved(columns) };
  });
  const sigma = run.sigma === null ? null : beside[run.sigma];
  let places = null;
  if (run.places !== null) {
    places = [];
    for (let k = run.places; k < beside.length; k += dimension) places.push(interleaved(beside.slice(k, k + dimension)));
  }
  return { notes: [], events: [], singularities: [], ...run, time, poses: interleaved(poses), paths, arrows, sigma, places };
}

/** Return columns of equal length as one array, row by row. */
function interleaved(columns) {
  const width = columns.length, count = width ? columns[0].length : 0, rows = new Float64Array(width * count);
  columns.forEach((column, c) => {
    for (let k = 0; k < count; k++) rows[k * width + c] = column[k];
  });
  return rows;
}
