// Names of bodies, joints and springs on a picture, planar or spatial.

import { mixed, placedPoint, posesAt, tone } from "./common.js";
import { write } from "./flat_marks.js";
import { Labels, MANY } from "./labels.js";

const FONT = "system-ui, sans-serif";

/** Names that are tried at most: more have no room anyway. */
const MOST = 120;

export class Naming {
  /** @param {object} data of the page, decoded */
  constructor(data) {
    this.data = data;
    this.dimension = data.dimension;
    this.labels = new Labels();
    this.names = this.gathered();
    /** Names as they were written last: text and box [CSS pixels]. */
    this.written = [];
  }

  /** Return all names; joints at one point share theirs, and stretched things have theirs in their middle. */
  gathered() {
    const { drawing, bodies, runs } = this.data, d = this.dimension, owners = drawing.owners, joints = [], others = [];
    const start = posesAt(runs[0], runs[0].time[0], d);
    const near = 1e-6 * Math.hypot(...drawing.high.map((x, k) => x - drawing.low[k]));
    const colors = new Map(bodies.map(({ name, color }) => [name, color])), twins = new Map();
    for (const { owner, body, point } of drawing.names) {
      const { sort, name } = owners[owner];
      if (sort !== "joint") {
        others.push({ text: name, body, point, color: sort === "body" ? colors.get(name) ?? null : null });
        continue;
      }
      const place = placedPoint(start, d, body, point).map((x) => Math.round(x / near)).join(" "), twin = twins.get(place);
      if (twin) twin.text += `, ${name}`;
      else {
        joints.push({ text: name, body, point, color: null });
        twins.set(place, joints[joints.length - 1]);
      }
    }
    const things = drawing.stretched.map((thing) => ({ text: owners[thing.owner].name, thing, color: null }));
    return [...joints, ...things, ...others].map((name, k) => ({ ...name, key: `${k}` }));
  }

  /** Return where a name belongs, in ground. */
  place(name, poses) {
    const d = this.dimension;
    if (!name.thing) return placedPoint(poses, d, name.body, name.point);
    const [a, b] = name.thing.bodies.map((body, k) => placedPoint(poses, d, body, name.thing.points, d * k));
    return a.map((x, k) => (x + b[k]) / 2);
  }

  /** Return the names that are to be written, with their places on the canvas; of too many, those that stood there before. */
  wanted(context, frame, poses, gap) {
    const found = [];
    for (const name of this.names) {
      const [x, y] = frame.onScreen(this.place(name, poses));
      if (x > 0 && y > 0 && x < frame.width && y < frame.height) found.push([name, x, y]);
    }
    const stood = (item) => (this.labels.places.has(item[0].key) ? 0 : 1);
    const few = found.length > MOST ? found.sort((a, b) => stood(a) - stood(b)).slice(0, MOST) : found;
    return few.map(([name, x, y]) => {
      const font = name.color ? `12px ${FONT}` : `italic 11px ${FONT}`;
      if (name.width === undefined) {
        context.font = font;
        name.width = context.measureText(name.text).width + 4;
      }
      return { ...name, x, y, height: 14, gap: name.color ? 1.2 * gap : gap, font };
    });
  }

  /**
   * Write the names, each where it covers least.
   * @param {CanvasRenderingContext2D} context in CSS pixels
   * @param {{width: number, height: number, scale: number, onScreen: (point: number[]) => number[]}} frame
   * @param {Float64Array} poses
   * @param {() => number[][]} obstacles gives points that names had better not cover [CSS pixels]
   * @param {{ink: string, paper: string}} ink
   * @param {boolean} dark
   */
  draw(context, frame, poses, obstacles, ink, dark) {
    this.written = [];
    const gap = Math.max(0.4 * this.data.drawing.size * frame.scale, 3), wanted = this.wanted(context, frame, poses, gap);
    const places = this.labels.placed(wanted, this.names.length > MANY ? [] : obstacles(), frame);
    context.textAlign = "center";
    context.textBaseline = "middle";
    wanted.forEach((name, k) => {
      if (!places[k]) return;
      context.font = name.font;
      const { x, y } = places[k];
      const color = name.color ? mixed(tone(name.color, dark), ink.ink, dark ? 0.4 : 0.1) : ink.ink;
      write(context, name.text, x, y, color, ink.paper);
      this.written.push({ text: name.text, box: [x - name.width / 2, y - 7, x + name.width / 2, y + 7] });
    });
  }
}
