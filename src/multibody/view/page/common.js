// What all modules of the page share: colors on light and dark paper, packed arrays, poses between instants, numbers as text.

/** The inks of the pictures, by name: [on light paper, on dark paper]. */
const INKS = {
  paper: ["#ffffff", "#16191d"],
  ink: ["#2f3640", "#d7dce2"],
  ground: ["#6b7280", "#98a1ad"],
  pale: ["#9aa3af", "#6d7683"],
  grid: ["#e3e7ec", "#2a2f36"],
  accent: ["#c0392b", "#ef6f61"],
};

/** The colors of bodies and curves, in their order, as on white paper. */
export const PALETTE = ["#2f6fb0", "#d9822b", "#3f9150", "#b3434b", "#7a5aa6", "#8a6a43", "#c96199", "#3d9ca3", "#94963a", "#5b6c8f"];

/**
 * Return the named inks on light or dark paper.
 * @param {boolean} dark
 * @returns {{paper: string, ink: string, ground: string, pale: string, grid: string, accent: string}} each "#rrggbb"
 */
export function inks(dark) {
  return Object.fromEntries(Object.entries(INKS).map(([name, pair]) => [name, pair[dark ? 1 : 0]]));
}

/**
 * Return red, green and blue of a color, each 0..1.
 * @param {string} color "#rrggbb"
 * @returns {[number, number, number]}
 */
export function rgb(color) {
  const n = parseInt(color.slice(1), 16);
  return [((n >> 16) & 255) / 255, ((n >> 8) & 255) / 255, (n & 255) / 255];
}

/**
 * Return a color from red, green and blue.
 * @param {number[]} parts each 0..1
 * @returns {string} "#rrggbb"
 */
export function hex(parts) {
  return "#" + parts.map((x) => Math.round(255 * Math.min(1, Math.max(0, x))).toString(16).padStart(2, "0")).join("");
}

/**
 * Return a mixture of two colors: share 0 is the first, 1 the second.
 * @param {string} first
 * @param {string} second
 * @param {number} share
 * @returns {string}
 */
export function mixed(first, second, share) {
  const a = rgb(first), b = rgb(second);
  return hex(a.map((x, k) => x + (b[k] - x) * share));
}

/**
 * Return a drawing's color as it is seen on the paper: named inks change with it, others become a little brighter on dark.
 * @param {string} color as it is on white paper
 * @param {boolean} dark
 * @returns {string}
 */
export function tone(color, dark) {
  if (!dark) return color;
  const pair = Object.values(INKS).find(([light]) => light === color.toLowerCase());
  return pair ? pair[1] : mixed(color, "#ffffff", 0.2);
}

/**
 * Return a color mixed with the paper: amount 0 leaves it, 1 is the paper.
 * @param {string} color as it is on white paper
 * @param {number} amount
 * @param {boolean} [dark]
 * @returns {string}
 */
export function lighter(color, amount, dark = false) {
  // Faces mixed with dark paper as strongly as with white would vanish.
  return mixed(tone(color, dark), INKS.paper[dark ? 1 : 0], dark ? 0.9 * amount : amount);
}

/**
 * Return the bytes of a packed text: base64 of what zlib deflated.
 * @param {string} text
 * @returns {Promise<Uint8Array>}
 */
async function inflated(text) {
  const plain = atob(text), bytes = new Uint8Array(plain.length);
  for (let k = 0; k < plain.length; k++) bytes[k] = plain.charCodeAt(k); // Uint8Array.from takes ten times as long
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** What stands for a number that is not finite among quantized ones. */
const HOLE = -0x80000000;

/**
 * Return the arrays of one packed block. Each column was rounded to a multiple of its quantum, differenced `order` times
 * modulo 2^32, and all bytes of one weight lie together: smooth curves deflate to about one byte a number.
 * @param {{count: number, columns: [quantum: number, order: number][], z: string}} block
 * @returns {Promise<Float64Array[]>} one array of `count` numbers for every column
 */
export async function unpacked(block) {
  const bytes = await inflated(block.z);
  const { count, columns } = block, total = count * columns.length;
  return columns.map(([quantum, order], c) => {
    const whole = new Int32Array(count);
    for (let k = 0, at = c * count; k < count; k++, at++) {
      whole[k] = bytes[at] | (bytes[at + total] << 8) | (bytes[at + 2 * total] << 16) | (bytes[at + 3 * total] << 24);
    }
    for (let pass = 0; pass < order; pass++) for (let k = 1; k < count; k++) whole[k] += whole[k - 1];
    const found = new Float64Array(count);
    for (let k = 0; k < count; k++) found[k] = whole[k] === HOLE ? NaN : whole[k] * quantum;
    return found;
  });
}

/**
 * Return the numbers of an array that was deflated as it is, byte for byte.
 * @param {{type: "f4"|"f8"|"i4", z: string}} packed
 * @returns {Promise<Float32Array|Float64Array|Int32Array>}
 */
export async function raw(packed) {
  const kinds = { f4: Float32Array, f8: Float64Array, i4: Int32Array };
  return new kinds[packed.type]((await inflated(packed.z)).buffer);
}

/**
 * Return the last instant that is not after a time.
 * @param {Float64Array} times rising
 * @param {number} t
 * @returns {number}
 */
export function instant(times, t) {
  let low = 0, high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Return numbers between instants: a straight line, or a cubic through four instants (Catmull-Rom on unequal steps).
 * At the instants themselves both give the run's own numbers.
 * @param {Float64Array} times
 * @param {number} t held within the times
 * @param {boolean} smooth cubic rather than straight
 * @returns {{rows: number[], weights: number[]}} rows of a table and their weights
 */
export function between(times, t, smooth) {
  const n = times.length, k = Math.min(instant(times, t), Math.max(n - 2, 0));
  if (n < 2 || t <= times[0]) return { rows: [t <= times[0] ? 0 : n - 1], weights: [1] };
  if (t >= times[n - 1]) return { rows: [n - 1], weights: [1] };
  const h = times[k + 1] - times[k], s = h > 0 ? (t - times[k]) / h : 1;
  if (s === 0) return { rows: [k], weights: [1] };
  if (!smooth || !(h > 0)) return { rows: [k, k + 1], weights: [1 - s, s] };
  const rows = [k - 1, k, k + 1, k + 2], weights = [0, 0, 0, 0];
  weights[1] += (1 + 2 * s) * (1 - s) ** 2;
  weights[2] += s * s * (3 - 2 * s);
  slope(times, k, h * s * (1 - s) ** 2, weights, 0);
  slope(times, k + 1, -h * s * s * (1 - s), weights, 1);
  return { rows: rows.map((r) => Math.min(n - 1, Math.max(0, r))), weights };
}

/** Add `share` times the slope at an instant, of the parabola through it and its neighbors, to weights. */
function slope(times, at, share, weights, first) {
  const left = at > 0 ? times[at] - times[at - 1] : 0, right = at < times.length - 1 ? times[at + 1] - times[at] : 0;
  if (left > 0 && right > 0) {
    weights[first] -= (share * right) / (left * (left + right));
    weights[first + 1] += (share * (right - left)) / (left * right);
    weights[first + 2] += (share * left) / (right * (left + right));
  } else if (right > 0) {
    weights[first + 1] -= share / right;
    weights[first + 2] += share / right;
  } else if (left > 0) {
    weights[first] -= share / left;
    weights[first + 1] += share / left;
  }
}

/**
 * Return the poses of all bodies at a time: position of the center of mass, then angle or quaternion (w x y z).
 * @param {{time: Float64Array, poses: ArrayLike<number>, kinks?: boolean}} run
 * @param {number} time
 * @param {number} dimension 2 or 3
 * @param {Float64Array} [into] to be filled
 * @returns {Float64Array} (bodies, 3 | 7), the ground's first
 */
export function posesAt(run, time, dimension, into) {
  const width = dimension === 2 ? 3 : 7, row = run.poses.length / run.time.length;
  const found = into ?? new Float64Array(width + row);
  found.fill(0);
  if (dimension === 3) found[3] = 1;
  const { rows, weights } = between(run.time, time, true);
  for (let i = 0; i < rows.length; i++) {
    const at = rows[i] * row, weight = weights[i];
    for (let k = 0; k < row; k++) found[width + k] += weight * run.poses[at + k];
  }
  if (dimension === 3) {
    for (let at = width + 3; at < found.length; at += width) {
      const size = Math.hypot(found[at], found[at + 1], found[at + 2], found[at + 3]) || 1;
      for (let k = 0; k < 4; k++) found[at + k] /= size;
    }
  }
  return found;
}

/**
 * Return the rotation matrix of a quaternion, row by row.
 * @param {ArrayLike<number>} q w x y z somewhere in an array
 * @param {number} [at] where it begins
 * @returns {number[]} nine numbers
 */
export function matrix(q, at = 0) {
  const w = q[at], x = q[at + 1], y = q[at + 2], z = q[at + 3];
  return [
    1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
    2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
    2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
  ];
}

/**
 * Return a point of a body in ground.
 * @param {Float64Array} poses as posesAt gives them
 * @param {number} dimension
 * @param {number} body
 * @param {ArrayLike<number>} points flat, in body axes from the center of mass
 * @param {number} [at] where the point begins
 * @returns {number[]}
 */
export function placedPoint(poses, dimension, body, points, at = 0) {
  if (dimension === 2) {
    const p = 3 * body, c = Math.cos(poses[p + 2]), s = Math.sin(poses[p + 2]);
    return [poses[p] + c * points[at] - s * points[at + 1], poses[p + 1] + s * points[at] + c * points[at + 1]];
  }
  const p = 7 * body, R = matrix(poses, p + 3), x = points[at], y = points[at + 1], z = points[at + 2];
  return [0, 3, 6].map((r, k) => poses[p + k] + R[r] * x + R[r + 1] * y + R[r + 2] * z);
}

/**
 * Return the value of a table's column at a time, on a straight line between instants; NaN where one of them is.
 * @param {Float64Array} times
 * @param {ArrayLike<number>} values
 * @param {number} t
 * @returns {number}
 */
export function valueAt(times, values, t) {
  const { rows, weights } = between(times, t, false);
  return rows.reduce((sum, r, i) => sum + weights[i] * values[r], 0);
}

/**
 * Return a number for people: six digits, no needless zeros, a true minus.
 * @param {number} value
 * @param {number} [digits]
 * @returns {string}
 */
export function number(value, digits = 6) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e-4 && size < 10 ** digits ? String(Number(value.toPrecision(digits))) : exponential(value, digits);
  return text.replace("-", "−");
}

/** Return a very large or small number with its power of ten. */
function exponential(value, digits) {
  const [mantissa, power] = Number(value.toPrecision(digits)).toExponential().split("e");
  return `${mantissa}e${Number(power)}`.replaceAll("-", "−");
}

/**
 * Return for each unit of a motion the size below which numbers are round-off: beside the largest number of the unit, one
 * radian and the mechanism's length, and of forces, moments and energies beside what its energy would take.
 * @param {object} data
 * @param {object} run
 * @returns {Map<string, number>}
 */
export function noiseOf(data, run) {
  const found = new Map(), { low, high } = data.drawing, { length, force, moment, energy } = data.units;
  const raise = (unit, noise) => found.set(unit, Math.max(found.get(unit) ?? 0, noise));
  let most = 0;
  for (const { group, unit, values } of run.paths) {
    const largest = values.reduce((size, x) => (Number.isFinite(x) ? Math.max(size, Math.abs(x)) : size), 0);
    raise(unit, 1e-11 * largest);
    if (group === "energies") most = Math.max(most, largest);
  }
  const size = Math.max(...high.map((x, k) => x - low[k]));
  raise("rad", 1e-11);
  raise(length, 1e-11 * size);
  for (const [unit, scale] of [[force, size], [moment, 1], [energy, 1]]) raise(unit, (1e-10 * most) / scale);
  return found;
}
