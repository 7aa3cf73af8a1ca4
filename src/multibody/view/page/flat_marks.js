// What stands on a planar picture besides the mechanism: paths of points, arrows, bars of scale, and gravity.

import { between, lighter, number, placedPoint, tone } from "./common.js";

/** Colors of arrows on white paper. */
export const ARROWS = { reaction: "#c0392b", load: "#7a5aa6", velocity: "#3f9150" };

/** Length of an arrow's head, and how near to the edge of the stage it may come [CSS pixels]. */
const HEAD = 9, MARGIN = 3;

/**
 * Return the largest of 1, 2, 5 times a power of ten that is not above a number.
 * @param {number} value positive
 * @returns {number}
 */
export function roundBelow(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [5, 2, 1].find((x) => x * power <= value * 1.0001) * power;
}

/**
 * Return the path of a body's point over a whole run.
 * @param {object} run
 * @param {number} body
 * @param {number[]} point in body axes from the center of mass
 * @returns {number[]} flat, in ground
 */
export function pathOf(run, body, point) {
  const row = run.poses.length / run.time.length, found = [];
  for (let k = 0; k < run.time.length; k++) {
    const at = k * row + 3 * (body - 1);
    const pose = body ? run.poses.slice(at, at + 3) : [0, 0, 0];
    found.push(...placedPoint(pose, 2, 0, point));
  }
  return found;
}

/**
 * Draw the path of a point: pale as a whole, bright up to now, and a dot where the point is.
 * @param {CanvasRenderingContext2D} context in CSS pixels
 * @param {import("./flat_view.js").FlatView} view
 * @param {number[]} path flat, in ground
 * @param {{rows: number[]}} now
 * @param {number[]} here where the point is
 * @param {string} color
 * @param {boolean} dark
 */
export function drawTrace(context, view, path, now, here, color, dark) {
  const count = path.length / 2, until = Math.min(Math.max(...now.rows.slice(0, 2)), count - 1);
  context.lineWidth = 1.5;
  context.lineJoin = "round";
  context.strokeStyle = lighter(color, 0.62, dark);
  line(context, view, path, count);
  context.stroke();
  context.strokeStyle = tone(color, dark);
  line(context, view, path, until);
  context.lineTo(...view.onScreen(here));
  context.stroke();
  const [x, y] = view.onScreen(here);
  context.fillStyle = tone(color, dark);
  context.beginPath();
  context.arc(x, y, 3, 0, 2 * Math.PI);
  context.fill();
}

/** Begin a path through the first points of a flat array. */
function line(context, view, path, count) {
  context.beginPath();
  let pen = false;
  for (let k = 0; k < count; k++) {
    const [x, y] = view.onScreen([path[2 * k], path[2 * k + 1]]);
    if (!Number.isFinite(x + y)) pen = false;
    else if (pen) context.lineTo(x, y);
    else context.moveTo(x, y), (pen = true);
  }
}

/**
 * Draw the arrows of a run at a time.
 * @param {CanvasRenderingContext2D} context in CSS pixels
 * @param {import("./flat_view.js").FlatView} view
 * @param {object} run
 * @param {number} time
 * @param {Float64Array} poses
 * @param {Object<string, number>} scales length on the drawing of one unit, by sort; 0: none
 * @param {boolean} dark
 */
export function drawArrows(context, view, run, time, poses, scales, dark) {
  const { rows, weights } = between(run.time, time, false);
  for (const arrow of run.arrows) {
    const scale = scales[arrow.sort];
    if (!(scale > 0)) continue;
    const vector = [0, 1].map((c) => rows.reduce((sum, r, i) => sum + weights[i] * arrow.vector[2 * r + c], 0));
    if (!Number.isFinite(vector[0] + vector[1])) continue;
    const from = placedPoint(poses, 2, arrow.body, arrow.point);
    const to = [from[0] + scale * vector[0], from[1] + scale * vector[1]];
    drawWithin(context, view, view.onScreen(from), view.onScreen(to), tone(ARROWS[arrow.sort], dark), lighter("#ffffff", 1, dark));
  }
}

/**
 * Draw an arrow whose head stays on the stage: one that would leave it ends at its edge, with two heads.
 * @param {CanvasRenderingContext2D} context in CSS pixels
 * @param {{width: number, height: number}} view
 * @param {number[]} from [CSS pixels]
 * @param {number[]} to
 * @param {string} color
 * @param {string} paper
 */
export function drawWithin(context, view, from, to, color, paper) {
  const part = partWithin(view, from, to), tip = (share) => from.map((x, k) => x + share * (to[k] - x));
  drawArrow(context, from, tip(part), color, paper);
  if (part === 1) return;
  const back = HEAD / Math.hypot(to[0] - from[0], to[1] - from[1]);
  drawArrow(context, from, tip(Math.max(0, part - back)), color, paper);
}

/**
 * Return which part of a line lies on a stage, with a margin; all of it where it begins elsewhere.
 * @param {{width: number, height: number}} view
 * @param {number[]} from [CSS pixels]
 * @param {number[]} to
 * @returns {number} 0 to 1
 */
export function partWithin({ width, height }, from, to) {
  const sides = [width, height];
  if (!from.every((x, k) => x > MARGIN && x < sides[k] - MARGIN)) return 1;
  const parts = from.map((x, k) => ((to[k] > x ? sides[k] - MARGIN : MARGIN) - x) / (to[k] - x)); // nothing across is infinitely far
  return Math.min(1, ...parts.map(Math.abs));
}

/** Draw an arrow with a rim of paper, so that it stands out from what it covers; one too short to have a head is left out. */
export function drawArrow(context, from, to, color, paper, width = 1.8) {
  const x = to[0] - from[0], y = to[1] - from[1], length = Math.hypot(x, y);
  if (length < 2) return;
  const u = x / length, v = y / length, head = Math.min(HEAD, 0.6 * length), half = 0.42 * head;
  const neck = [to[0] - 0.8 * head * u, to[1] - 0.8 * head * v];
  for (const [ink, more] of [[paper, 2.4], [color, 0]]) {
    context.strokeStyle = context.fillStyle = ink;
    context.lineWidth = width + more;
    context.lineCap = "butt";
    context.beginPath();
    context.moveTo(from[0], from[1]);
    context.lineTo(neck[0], neck[1]);
    context.stroke();
    context.beginPath();
    context.moveTo(to[0], to[1]);
    context.lineTo(to[0] - head * u - half * v, to[1] - head * v + half * u);
    context.lineTo(to[0] - head * u + half * v, to[1] - head * v - half * u);
    context.closePath();
    if (more) {
      context.lineWidth = more;
      context.stroke();
    }
    context.fill();
  }
}

/**
 * Return the sorts of arrows that a scene shows, with their scales.
 * @param {object} data of the page, decoded
 * @param {object} scene
 * @returns {{sort: string, scale: number, unit: string}[]}
 */
export function shownArrows(data, scene) {
  const arrows = scene.layers.flatMap((layer) => data.runs[layer.run].arrows ?? []);
  return Object.entries(scene.arrows ?? {})
    .filter(([sort, scale]) => scale > 0 && arrows.some((arrow) => arrow.sort === sort))
    .map(([sort, scale]) => ({ sort, scale, unit: arrows.find((arrow) => arrow.sort === sort).unit ?? "" }));
}

/**
 * Draw bars in the lower left corner that tell lengths: of the mechanism, and of each sort of arrows.
 * @param {CanvasRenderingContext2D} context in CSS pixels
 * @param {import("./flat_view.js").FlatView} view
 * @param {string} unit of length
 * @param {{sort: string, scale: number, unit: string}[]} arrows
 * @param {{ink: string, ground: string, paper: string}} inks
 * @param {boolean} dark
 * @param {string} font
 */
export function drawScales(context, view, unit, arrows, inks, dark, font) {
  const room = Math.min(110, 0.3 * view.width);
  const bars = [{ pixels: view.scale, unit, color: inks.ground, word: "" }];
  for (const { sort, scale, unit: own } of arrows) {
    bars.push({ pixels: scale * view.scale, unit: own, color: tone(ARROWS[sort], dark), word: sort });
  }
  context.font = `11px ${font}`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  bars.forEach((bar, k) => {
    if (!(bar.pixels > 0 && bar.pixels < Infinity)) return;
    const value = roundBelow(room / bar.pixels), length = value * bar.pixels, x = 14, y = view.height - 14 - 18 * k;
    if (k) drawArrow(context, [x, y], [x + length, y], bar.color, inks.paper, 1.6);
    else drawBar(context, x, y, length, bar.color);
    write(context, `${number(value)} ${bar.unit}${bar.word ? `  ${bar.word}` : ""}`, x + length + 7, y, bar.color, inks.paper);
  });
}

/** Draw a line with a tick at each end. */
function drawBar(context, x, y, length, color) {
  context.strokeStyle = color;
  context.lineWidth = 1.2;
  context.lineCap = "butt";
  context.beginPath();
  context.moveTo(x, y - 4);
  context.lineTo(x, y + 4);
  context.moveTo(x, y);
  context.lineTo(x + length, y);
  context.moveTo(x + length, y - 4);
  context.lineTo(x + length, y + 4);
  context.stroke();
}

/**
 * Write a text with a rim of paper.
 * @param {CanvasRenderingContext2D} context with its font set
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {string} color
 * @param {string} paper
 */
export function write(context, text, x, y, color, paper) {
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = paper;
  context.globalAlpha = 0.85;
  context.strokeText(text, x, y);
  context.globalAlpha = 1;
  context.fillStyle = color;
  context.fillText(text, x, y);
}

/**
 * Draw an arrow along gravity in the upper right corner.
 * @param {CanvasRenderingContext2D} context in CSS pixels
 * @param {number} width of the canvas
 * @param {number[]} direction unit vector in ground
 * @param {{pale: string, paper: string}} inks
 * @param {string} font
 */
export function drawGravity(context, width, direction, inks, font) {
  const x = width - 24, y = 30, [dx, dy] = [direction[0], -direction[1]];
  drawArrow(context, [x - 16 * dx, y - 16 * dy], [x + 16 * dx, y + 16 * dy], inks.pale, inks.paper, 1.5);
  const side = dy > 0 || (dy === 0 && dx > 0) ? [-dy, dx] : [dy, -dx];
  context.font = `italic 13px ${font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillStyle = inks.pale;
  context.fillText("g", x + 11 * side[0], y + 11 * side[1]);
}
