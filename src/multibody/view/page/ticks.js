// Round numbers along an axis, and how they are written.

/** Digits of powers of ten. */
const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

/**
 * Return the round numbers (steps of 1, 2 or 5 times a power of ten) within a range.
 * @param {number} low
 * @param {number} high above low
 * @param {number} most how many there may be
 * @returns {{values: number[], step: number}}
 */
export function ticks(low, high, most) {
  const range = high - low, ten = 10 ** Math.floor(Math.log10(range));
  const steps = [10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01].map((x) => x * ten); // from few numbers to many
  const count = (step) => Math.floor(high / step + 1e-9) - Math.ceil(low / step - 1e-9) + 1;
  const few = steps.filter((step) => count(step) <= most);
  let step = few[few.length - 1] ?? steps[0];
  if (count(step) < 2) step = steps.find((finer) => count(finer) >= 2) ?? step; // one number tells no scale
  const first = Math.ceil(low / step - 1e-9);
  return { values: Array.from({ length: count(step) }, (_, k) => (first + k) * step), step };
}

/**
 * Return the power of ten by which the numbers of an axis are divided: 0 where they are readable as they are.
 * @param {number} low
 * @param {number} high
 * @returns {number} a multiple of three
 */
export function power(low, high) {
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (!(size > 0) || (size < 1e5 && size >= 1e-2)) return 0;
  return 3 * Math.floor(Math.log10(size) / 3);
}

/**
 * Return the numbers of an axis as text, with as many decimals as their step needs.
 * @param {number[]} values
 * @param {number} step
 * @param {number} [shift] power of ten by which they are divided
 * @returns {string[]}
 */
export function tickTexts(values, step, shift = 0) {
  const scale = 10 ** -shift, decimals = Math.min(12, Math.max(0, -Math.floor(Math.log10(step * scale) + 1e-9)));
  return values.map((value) => {
    const text = (value * scale).toFixed(decimals);
    return (/^-0(\.0*)?$/.test(text) ? text.slice(1) : text).replace("-", "−");
  });
}

/**
 * Return a unit with the power of ten that an axis is divided by: "[10³ N]".
 * @param {string} unit
 * @param {number} shift
 * @returns {string}
 */
export function unitText(unit, shift) {
  const ten = shift === 0 ? "" : "10" + [...String(shift)].map((c) => RAISED[c]).join("");
  const parts = [ten, unit === "1" ? "" : unit].filter(Boolean).join(" ");
  return parts ? `[${parts}]` : "";
}

/**
 * Return a range with room at its ends; numbers that differ by round-off alone count as one.
 * @param {number} low
 * @param {number} high
 * @param {number} [share] of the range that is added at each end
 * @param {number} [noise] below which such numbers are round-off
 * @returns {[number, number]}
 */
export function roomy(low, high, share = 0.06, noise = 0) {
  if (!(low <= high)) return [0, 1]; // nothing finite to show
  const size = Math.max(Math.abs(low), Math.abs(high)), range = high - low;
  if (range > Math.max(1e-9 * size, 10 * noise)) return [low - share * range, high + share * range];
  const room = Math.max(0.1 * size, 1e10 * noise) || 1; // noise is 1e-11 of what is usual
  return [low - room, high + room];
}
