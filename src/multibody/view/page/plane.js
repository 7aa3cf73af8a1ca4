// The stage of planar mechanisms: strokes on a canvas, drawn by the same hand as the pictures.

import { between, inks, lighter, mixed, placedPoint, posesAt } from "./common.js";
import { drawArrows, drawGravity, drawScales, drawTrace, pathOf, shownArrows } from "./flat_marks.js";
import { Outline, distance } from "./flat_paths.js";
import { FlatView } from "./flat_view.js";
import { Naming } from "./naming.js";
import { bar, cylinder, ROD_PALENESS, ROD_WIDTH, TUBE_PALENESS, zigzag } from "./stretch.js";

/** CSS pixels a point of the printer. */
const POINT = 96 / 72;
const FONT = "system-ui, sans-serif";

/** How near a click has to be to a joint, a spring or a line [pixels]. */
const NEAR = 9;

/** Paleness of a whole pose that fades entirely. */
const FADED = 0.92;

export class Plane {
  /**
   * @param {HTMLCanvasElement} canvas that fills its parent
   * @param {object} data of the page, decoded
   */
  constructor(canvas, data) {
    this.canvas = canvas;
    this.data = data;
    this.context = canvas.getContext("2d");
    const drawings = data.drawings ?? [data.drawing];
    const most = (pick, key) => [0, 1].map((k) => pick(...drawings.map((one) => one[key][k])));
    this.frame = new FlatView(canvas, most(Math.min, "low"), most(Math.max, "high"));
    /** @type {() => void} called when the picture has to be drawn again */
    this.onchange = () => {};
    this.frame.onchange = () => this.onchange();
    this.kits = new Map();
    this.paths = new Map();
    this.last = null;
    this.resize();
  }

  /** Take the size of the canvas from the page. */
  resize() {
    this.frame.resize();
  }

  /** Show everything. */
  fit() {
    this.frame.fit();
  }

  /** There is only one view of the plane. */
  view() {
    this.fit();
  }

  /**
   * Return the poses of all bodies at a time as they are drawn.
   * @param {number} run
   * @param {number} time
   * @returns {Float64Array} (bodies, 3): x and y of the center of mass, angle; the ground's first
   */
  poses(run, time) {
    return posesAt(this.data.runs[run], time, 2);
  }

  /** Return what a run is drawn with: runs whose parameters differ have drawings of their own. */
  kitOf(run) {
    const { data, kits } = this, drawing = data.drawings?.[data.runs[run].drawing] ?? data.drawing;
    if (!kits.has(drawing)) {
      const naming = new Naming({ ...data, drawing, runs: [data.runs[run]] });
      kits.set(drawing, { drawing, items: sorted(drawing), naming, looks: new Map() });
    }
    return kits.get(drawing);
  }

  /**
   * Draw a picture.
   * @param {object} scene layers (the last is the pose itself), names, symbols, traces, arrows, gravity, dark, selected
   */
  draw(scene) {
    const { context, frame } = this, dark = Boolean(scene.dark), ink = inks(dark), layers = scene.layers;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalAlpha = 1;
    context.fillStyle = ink.paper;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    const poses = layers.map((layer) => this.poses(layer.run, layer.time));
    const { run } = layers[layers.length - 1], kit = this.kitOf(run);
    this.last = { scene, poses: poses[poses.length - 1], kit };
    layers.slice(0, -1).forEach((layer, k) => this.drawLayer(layer, poses[k], scene, ink, false));
    this.onPaper(() => this.drawTraces(scene, dark));
    layers.slice(-1).forEach((layer) => this.drawLayer(layer, this.last.poses, scene, ink, true));
    this.onPaper(() => {
      layers.forEach(({ run: k, time, fade }, i) => {
        if (fade < 0.5) drawArrows(context, frame, this.data.runs[k], time, poses[i], scene.arrows ?? {}, dark);
      });
      kit.naming.written = [];
      if (scene.names) kit.naming.draw(context, frame, this.last.poses, () => this.obstacles(this.last.poses), ink, dark);
      drawScales(context, frame, this.data.units.length, shownArrows(this.data, scene), ink, dark, FONT);
      if (scene.gravity && this.data.gravity) drawGravity(context, frame.width, this.data.gravity, ink, FONT);
    });
  }

  /** Draw in CSS pixels. */
  onPaper(paint) {
    const { context, frame } = this;
    context.setTransform(frame.ratio, 0, 0, frame.ratio, 0, 0);
    context.setLineDash([]);
    context.globalAlpha = 1;
    paint();
  }

  // --- the mechanism ------------------------------------------------------------------------------------------------------

  /** Draw all strokes of one pose; only the pose itself has the ground and its supports. */
  drawLayer(layer, poses, scene, ink, itself) {
    const { context, frame } = this, kit = this.kitOf(layer.run), looks = this.looksOf(kit, layer.fade, layer.tint, scene.dark);
    const transforms = this.transforms(poses), seen = this.seen();
    context.lineJoin = "round";
    kit.items.forEach((item, k) => {
      const { thing, outline } = item, look = looks[k], chosen = itself && thing.owner === scene.selected;
      if (!itself && thing.body === 0) return;
      if (layer.fade && thing.ghost === false) return;
      if (thing.symbol && scene.symbols === false) return;
      if (outline) {
        const at = transforms[thing.body];
        if (!seen(outline, at)) return;
        context.setTransform(...at);
        if (chosen) this.drawHalo(outline, thing, ink);
        this.drawStroke(outline, thing, look, ink);
      } else {
        context.setTransform(frame.ratio, 0, 0, frame.ratio, 0, 0);
        if (thing.bodies) this.drawStretched(thing, poses, look, chosen, ink);
        else this.drawWanderer(thing, layer, look);
      }
    });
  }

  /** Return the transform of every body. */
  transforms(poses) {
    const found = [];
    for (let at = 0; at < poses.length; at += 3) found.push(this.frame.transform(poses[at], poses[at + 1], poses[at + 2]));
    return found;
  }

  /** Return a test whether an outline may be on the canvas and is large enough to be seen. */
  seen() {
    const { canvas, frame } = this, scale = frame.scale * frame.ratio;
    return ({ middle: [x, y], reach, stroke }, [a, b, c, d, e, f]) => {
      const u = a * x + c * y + e, v = b * x + d * y + f, r = reach * scale + 8;
      if (stroke.kind === "circle" && reach * scale < 0.7) return false;
      return u > -r && v > -r && u < canvas.width + r && v < canvas.height + r;
    };
  }

  /** Draw a stroke under the transform of its body; widths are on paper. */
  drawStroke(outline, stroke, look, ink) {
    const { context, frame } = this, point = POINT / frame.scale;
    if (stroke.kind === "dot") {
      context.fillStyle = look.edge;
      context.beginPath();
      context.arc(stroke.points[0], stroke.points[1], (stroke.width * point) / 2, 0, 2 * Math.PI);
      context.fill();
      return;
    }
    const path = outline.path(frame.scale);
    const tiny = stroke.width > 0 && 2 * outline.reach < 2 * stroke.width * point; // its edge covers it
    if (stroke.kind !== "line" && !tiny) {
      context.fillStyle = stroke.kind === "circle" ? ink.paper : look.face;
      context.globalAlpha = stroke.alpha;
      context.fill(path, "evenodd");
      context.globalAlpha = 1;
    }
    if (!(stroke.width > 0)) return;
    this.pen(look.edge, stroke.width * point, stroke.dashes?.length ? stroke.dashes.map((x) => x * point) : null);
    context.stroke(path);
  }

  /** Take a color, a width and dashes. */
  pen(color, width, dashes) {
    const { context } = this;
    context.strokeStyle = color;
    context.lineWidth = width;
    context.lineCap = dashes ? "butt" : "round";
    if (dashes || this.dashed) context.setLineDash(dashes ?? []);
    this.dashed = Boolean(dashes);
  }

  /** Draw what shows that a stroke is selected. */
  drawHalo(outline, stroke, ink) {
    const { context, frame } = this;
    context.globalAlpha = 0.45;
    if (stroke.kind === "dot") {
      context.fillStyle = ink.accent;
      context.beginPath();
      context.arc(stroke.points[0], stroke.points[1], (stroke.width * POINT / 2 + 4) / frame.scale, 0, 2 * Math.PI);
      context.fill();
    } else {
      this.pen(ink.accent, (stroke.width * POINT + 7) / frame.scale, null);
      context.stroke(outline.path(frame.scale));
    }
    context.globalAlpha = 1;
  }

  /** Return the two ends of a stretched thing on the canvas [CSS pixels]. */
  ends(thing, poses) {
    return thing.bodies.map((body, k) => this.frame.onScreen(placedPoint(poses, 2, body, thing.points, 2 * k)));
  }

  /** Draw a spring, a cylinder or a rod between its ends. */
  drawStretched(thing, poses, look, chosen, ink) {
    const [a, b] = this.ends(thing, poses), half = thing.size * this.frame.scale, width = thing.width * POINT;
    if (!Number.isFinite(a[0] + a[1] + b[0] + b[1])) return;
    if (chosen) {
      this.context.globalAlpha = 0.45;
      const rim = width + 7 + (thing.kind === "cylinder" ? 2 * half : 0);
      this.polygon(thing.kind === "spring" ? zigzag(a, b, half) : [a, b], ink.accent, rim, null);
      this.context.globalAlpha = 1;
    }
    if (thing.kind === "cylinder") {
      const { start, mouth, piston, end } = cylinder(a, b, thing.rest * this.frame.scale);
      this.polygon(bar(start, mouth, half), look.edge, width, look.tube);
      this.polygon(bar(piston, end, ROD_WIDTH * half), look.edge, width, look.rod);
      const [one, , , other] = bar(piston, end, half);
      this.polygon([one, other], look.edge, 2 * width, null);
    } else {
      this.polygon(thing.kind === "spring" ? zigzag(a, b, half) : [a, b], look.edge, width, null);
    }
  }

  /** Draw points in CSS pixels: a line, or an area where a face is given. */
  polygon(points, edge, width, face) {
    const { context } = this;
    context.beginPath();
    points.forEach(([x, y], k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
    if (face) {
      context.closePath();
      context.fillStyle = face;
      context.fill();
    }
    this.pen(edge, width, null);
    context.stroke();
  }

  /** Draw a dot that moves in no body. */
  drawWanderer(thing, layer, look) {
    const places = thing.places?.[layer.run], run = this.data.runs[layer.run];
    if (!places) return;
    const { rows, weights } = between(run.time, layer.time, false);
    const place = [0, 1].map((c) => rows.reduce((sum, r, i) => sum + weights[i] * places[2 * r + c], 0));
    const [x, y] = this.frame.onScreen(place);
    if (!Number.isFinite(x + y)) return;
    this.context.fillStyle = look.edge;
    this.context.beginPath();
    this.context.arc(x, y, (thing.width * POINT) / 2, 0, 2 * Math.PI);
    this.context.fill();
  }

  /** Return the colors of all items at a fade, worked out once. */
  looksOf({ items, looks }, fade, tint, dark) {
    const key = `${fade.toFixed(3)} ${tint ?? ""} ${Boolean(dark)}`;
    if (!looks.has(key)) {
      const pale = (paleness) => paleness + (1 - paleness) * FADED * fade;
      looks.set(key, items.map(({ thing }) => {
        const color = tint && thing.body !== 0 ? mixed(thing.color, tint, 0.8) : thing.color;
        const at = (paleness) => lighter(color, pale(paleness), dark);
        return { edge: at(0), face: at(thing.paleness ?? 0.55), tube: at(TUBE_PALENESS), rod: at(ROD_PALENESS) };
      }));
      if (looks.size > 40) looks.delete(looks.keys().next().value);
    }
    return looks.get(key);
  }

  // --- what stands on it ----------------------------------------------------------------------------------------------------

  /** Draw the paths of points. */
  drawTraces(scene, dark) {
    for (const { run, body, point, color } of scene.traces ?? []) {
      const layer = scene.layers.findLast((one) => one.run === run) ?? { time: 0 }, key = `${run} ${body} ${point.join(" ")}`;
      if (!this.paths.has(key)) this.paths.set(key, pathOf(this.data.runs[run], body, point));
      const here = placedPoint(this.poses(run, layer.time), 2, body, point);
      const now = between(this.data.runs[run].time, layer.time, false);
      drawTrace(this.context, this.frame, this.paths.get(key), now, here, color, dark);
    }
  }

  /** Return points along everything that names had better not cover [CSS pixels]. */
  obstacles(poses) {
    const found = [];
    for (const { thing, outline } of this.last.kit.items) {
      for (const point of outline?.samples() ?? []) found.push(this.frame.onScreen(placedPoint(poses, 2, thing.body, point)));
    }
    for (const thing of this.last.kit.drawing.stretched) {
      const [a, b] = this.ends(thing, poses);
      for (let s = 0; s <= 1; s += 0.125) found.push([a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])]);
    }
    return found.filter(([x, y]) => Number.isFinite(x + y));
  }

  // --- what was clicked -----------------------------------------------------------------------------------------------------

  /**
   * Return what lies at a point of the canvas.
   * @param {number} x [CSS pixels]
   * @param {number} y
   * @returns {number} owner; -1: nothing
   */
  pick(x, y) {
    return this.picks(x, y)[0] ?? -1;
  }

  /**
   * Return everything that lies at a point of the canvas: joints first, then forces, then bodies, the uppermost before others.
   * @param {number} x [CSS pixels]
   * @param {number} y
   * @returns {number[]} owners
   */
  picks(x, y) {
    if (!this.last) return [];
    const { scene, poses, kit } = this.last, owners = kit.drawing.owners, transforms = this.transforms(poses);
    const near = kit.drawing.names
      .map(({ owner, body, point }) => ({ owner, off: this.away(x, y, placedPoint(poses, 2, body, point)) }))
      .filter(({ owner, off }) => off < NEAR && owners[owner].sort === "joint")
      .sort((a, b) => a.off - b.off);
    const hit = kit.items.filter(({ thing }) => !(thing.symbol && scene.symbols === false)).reverse();
    const found = [...near.map(({ owner }) => owner)];
    for (const { thing, outline } of hit) if (this.hits(thing, outline, x, y, poses, transforms)) found.push(thing.owner);
    const order = { joint: 0, force: 1, body: 2 };
    return [...new Set(found)].filter((owner) => owner >= 0).sort((a, b) => order[owners[a].sort] - order[owners[b].sort]);
  }

  /** Return how far a point of the plane is from one of the canvas [CSS pixels]. */
  away(x, y, point) {
    const [u, v] = this.frame.onScreen(point);
    return Math.hypot(u - x, v - y);
  }

  /** Return whether a thing lies at a point of the canvas. */
  hits(thing, outline, x, y, poses, transforms) {
    const { context, frame } = this;
    if (thing.bodies) return distance([x, y], ...this.ends(thing, poses)) < Math.max(NEAR, thing.size * frame.scale);
    if (!outline) return false;
    if (thing.kind === "dot") return this.away(x, y, placedPoint(poses, 2, thing.body, thing.points)) < NEAR;
    context.setTransform(...transforms[thing.body]);
    context.setLineDash([]);
    this.dashed = false;
    context.lineWidth = (thing.kind === "line" ? NEAR : 4) / frame.scale;
    const path = outline.path(frame.scale), u = x * frame.ratio, v = y * frame.ratio;
    return (thing.kind !== "line" && context.isPointInPath(path, u, v, "evenodd")) || context.isPointInStroke(path, u, v);
  }
}

/** Return everything that is drawn, from the lowest to the highest. */
function sorted(drawing) {
  const strokes = drawing.strokes.map((thing) => ({ thing, outline: new Outline(thing) }));
  const others = [...drawing.stretched, ...drawing.wanderers].map((thing) => ({ thing, outline: null }));
  return [...strokes, ...others].sort((a, b) => a.thing.level - b.thing.level);
}
