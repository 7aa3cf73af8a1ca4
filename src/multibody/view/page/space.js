// The stage of spatial mechanisms: solids, lines and dots by WebGL2, with names and arrows on a canvas above.

import { inks, placedPoint, posesAt, rgb } from "./common.js";
import { Camera } from "./camera.js";
import { Naming } from "./naming.js";
import { LEVELS, Pace } from "./pace.js";
import { CONTEXT, programsOf } from "./shaders.js";
import { Above } from "./space_above.js";
import { Copies, Plates, PoseTexture, SQUARE, STRIP } from "./space_buffers.js";
import { gridLines, pathInSpace } from "./space_marks.js";
import { batchesOf, cloudOf, fan, KINDS, lineRows, SIDES, stretchedRows, thinRows, WIDTHS } from "./space_parts.js";
import { Picks } from "./space_picks.js";
import { Smooth } from "./space_smooth.js";
import { creased, unitBall, unitBox, unitTube } from "./unit_shapes.js";

/** Half the width of edges and the width of outlines [CSS pixels]. */
const EDGE = 0.4, OUTLINE = 1.1;

/** Strokes above which thin ones have few sides and no outlines; above which they have few sides where there is no graphics card. */
const MANY = 2000, FEW = 250;

/** Diameter up to which tubes are drawn as lines in haste [CSS pixels]: there is nothing round to be seen of them. */
const THIN = 3;

/** How long nothing has to move before a picture that was drawn in haste is drawn well [ms]. */
const STILL = 200;

/** Names of graphics cards that are none. */
const NO_CARD = /swiftshader|llvmpipe|software|basic render/i;

const NO_WEBGL = "This browser offers no WebGL2, which the picture in space needs; numbers and curves are as usual.";

export class Space {
  /**
   * @param {HTMLCanvasElement} canvas that fills its parent
   * @param {object} data of the page, decoded
   */
  constructor(canvas, data) {
    this.canvas = canvas;
    this.data = data;
    const { low, high } = data.drawing;
    this.frame = new Camera(canvas, [...low], [...high], data.gravity, cloudOf(data));
    /** @type {() => void} called when the picture has to be drawn again */
    this.onchange = () => {};
    this.frame.onchange = () => this.onchange();
    /** @type {() => boolean} whether pictures follow each other by themselves */
    this.moving = () => false;
    this.naming = new Naming(data);
    this.above = new Above(canvas, data, this.naming);
    this.picking = new Picks(this);
    this.last = null;
    this.gl = canvas.getContext("webgl2", CONTEXT);
    if (this.gl) this.prepare();
    else this.apologize();
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => { this.prepare(); this.onchange(); });
    this.resize();
  }

  /** Say that there is no picture, and why. */
  apologize() {
    const words = document.createElement("p");
    words.textContent = NO_WEBGL;
    words.className = "soft";
    words.style.cssText = "position: absolute; inset: 40% 10% auto; text-align: center;";
    this.canvas.after(words);
  }

  /** Bring everything that does not change to the graphics card. */
  prepare() {
    const { gl, data, frame } = this, unit = frame.radius, about = gl.getExtension("WEBGL_debug_renderer_info");
    this.slow = NO_CARD.test(about ? gl.getParameter(about.UNMASKED_RENDERER_WEBGL) : "");
    this.pace = new Pace(this.slow ? 1 : 0);
    this.smooth = new Smooth(gl);
    this.picking.target = null;
    this.programs = programsOf(gl);
    const batches = batchesOf(data.drawing, unit), { strokes } = data.drawing;
    this.shapes = { box: unitBox(), line: STRIP, dot: SQUARE };
    for (const [fineness, most] of Object.entries(SIDES)) {
      const sides = strokes.length > (this.slow ? FEW : MANY) && most < 16 ? 4 : most; // then they are thin lines on the screen
      this.shapes[`${fineness} tube`] = unitTube(sides);
      this.shapes[`${fineness} ball`] = unitBall(sides);
    }
    this.parts = batches.map((batch) => this.part(batch, unit));
    this.poseTexture = new PoseTexture(gl, data.bodies.length);
    this.springs = { tubes: new Copies(gl, "solid", this.shapes["usual tube"]), lines: new Copies(gl, "line", this.shapes.line) };
    this.wandering = new Copies(gl, "dot", this.shapes.dot);
    this.grid = this.lines(gridLines(frame).lines, "#e3e7ec", 0.75);
    this.traces = new Map();
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** Return a batch as it is drawn. */
  part(batch, unit) {
    const { gl } = this, { sort, kind, group, clear } = batch;
    if (sort === "face") return { sort, group, clear, copies: new Plates(gl, batch.strokes.map((stroke) => ({ stroke, ...fan(stroke, unit) }))) };
    if (sort !== "mesh") {
      const copies = new Copies(gl, sort, this.shapes[sort === "solid" ? kind : sort]).fill(batch);
      return { sort, kind, group, clear, copies, thin: kind === "tiny tube" && !clear ? this.thin(batch) : null };
    }
    const [stroke] = batch.strokes, shape = creased(stroke.points.map((x) => x / unit), stroke.triangles);
    const row = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, stroke.body, stroke.owner];
    const copies = new Copies(gl, "solid", shape, true).fill({ rows: row, inks: [{ color: stroke.color, alpha: stroke.alpha }] });
    return { sort: "solid", kind: "mesh", edged: stroke.width > 0, group, clear, copies };
  }

  /** Return tubes as lines, for pictures in haste. */
  thin({ rows, inks }) {
    const { rows: lines, thickest } = thinRows(rows);
    return { copies: new Copies(this.gl, "line", this.shapes.line).fill({ rows: lines, inks }), thickest };
  }

  /** Return lines that stand on the ground. */
  lines(lines, color, width) {
    const rows = lines.flatMap((points) => lineRows(points, this.frame.radius, { width, pull: 0, body: 0, owner: -1 }));
    const ink = { color, alpha: 1 };
    return new Copies(this.gl, "line", this.shapes.line).fill({ rows, inks: Array(rows.length / WIDTHS.line).fill(ink) });
  }

  /** Take the size of the canvas from the page. */
  resize() {
    const { frame } = this, { width, height, ratio } = frame;
    frame.resize();
    this.size(1);
    if (width !== frame.width || height !== frame.height || ratio !== frame.ratio) this.pace?.forget();
  }

  /** Give the canvas a part of the screen's pixels along each side; the browser stretches it over its place. */
  size(part) {
    const { canvas, frame } = this, wide = Math.max(1, Math.round(frame.width * frame.ratio * part));
    const high = Math.max(1, Math.round(frame.height * frame.ratio * part));
    this.share = part;
    if (canvas.width !== wide) canvas.width = wide;
    if (canvas.height !== high) canvas.height = high;
  }

  /** Show everything. */
  fit() {
    this.frame.fit();
  }

  /** @param {string} name "front", "top", "right" or "iso" */
  view(name) {
    this.frame.view(name);
  }

  /**
   * Return the poses of all bodies at a time as they are drawn.
   * @param {number} run
   * @param {number} time
   * @returns {Float64Array} (bodies, 7): position of the center of mass, quaternion; the ground's first
   */
  poses(run, time) {
    return posesAt(this.data.runs[run], time, 3);
  }

  /**
   * Draw a picture.
   * @param {object} scene layers (the last is the pose itself), names, symbols, traces, arrows, gravity, dark, selected
   */
  draw(scene) {
    const dark = Boolean(scene.dark), layers = scene.layers, poses = layers.map((layer) => this.poses(layer.run, layer.time));
    this.last = { scene, poses: poses[poses.length - 1] };
    if (this.gl && !this.gl.isContextLost()) this.drawBelow(scene, poses, dark);
    this.above.drawMoving(scene, this.frame, poses, dark, () => this.obstacles(this.last.poses));
    if (this.gl) this.above.drawCorners(scene, this.frame, dark);
  }

  /** Draw the solids as finely as the screen's pace allows, and well as soon as nothing has moved for a while. */
  drawBelow(scene, poses, dark) {
    const { pace } = this, { smooth, part } = LEVELS[pace.level];
    pace.drawn();
    this.size(part);
    this.drawSolid(scene, poses, dark, !smooth);
    clearTimeout(this.later);
    if (!smooth) this.later = setTimeout(() => this.settle(scene, poses, dark), STILL);
  }

  /** Draw a picture well that stands. */
  settle(scene, poses, dark) {
    if (this.gl.isContextLost()) return;
    if (this.moving()) return void (this.later = setTimeout(() => this.settle(scene, poses, dark), STILL)); // the next one is late
    this.pace.rest();
    this.size(1);
    this.drawSolid(scene, poses, dark);
  }

  // --- solids, lines and dots ----------------------------------------------------------------------------------------------

  /** Draw what the graphics card draws: ghosts behind all, then motions that are laid over each other, the pose itself last. */
  drawSolid(scene, poses, dark, hasty = false) {
    const { gl, canvas, frame } = this, paper = rgb(inks(dark).paper);
    this.hasty = hasty;
    if (hasty) gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    else this.smooth.begin();
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(...paper, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.aim(frame.matrix(), [frame.width, frame.height], scene, dark, false);
    this.poseTexture.fill(poses[0], frame.middle, frame.radius);
    gl.disable(gl.DEPTH_TEST); // the grid lies behind everything
    this.copies("line", this.grid, dark);
    gl.enable(gl.DEPTH_TEST);
    const last = scene.layers.length - 1;
    scene.layers.forEach((layer, k) => {
      if (k && !(layer.fade >= 0.5 && k < last)) gl.clear(gl.DEPTH_BUFFER_BIT); // ghosts cover each other, nothing else
      if (k === last) this.drawTraces(scene, dark);
      this.drawLayer(layer, poses[k], scene, dark, k === last);
    });
    if (!hasty) this.smooth.end();
  }

  /** Tell all programs what they share. */
  aim(matrix, size, scene, dark, picking) {
    const { gl, frame } = this, ink = inks(dark), { right, up, eye } = frame;
    const axes = [0, 1, 2].flatMap((k) => [right[k], up[k], eye[k]]);
    for (const { program, at } of Object.values(this.programs)) {
      gl.useProgram(program);
      gl.uniformMatrix4fv(at.u_camera, false, matrix);
      if (at.u_axes) gl.uniformMatrix3fv(at.u_axes, false, axes);
      gl.uniform1f(at.u_pixel, 1 / (frame.scale * frame.radius));
      if (at.u_size) gl.uniform2f(at.u_size, ...size);
      if (at.u_widen) gl.uniform1f(at.u_widen, picking ? 5 : 0);
      if (at.u_width) gl.uniform1f(at.u_width, 1);
      if (at.u_edge) gl.uniform1f(at.u_edge, EDGE * frame.ratio * this.share);
      if (at.u_least) gl.uniform1f(at.u_least, this.hasty && !picking ? 1 / (frame.ratio * this.share) : 0);
      gl.uniform3f(at.u_paper, ...rgb(ink.paper));
      gl.uniform3f(at.u_accent, ...rgb(ink.accent));
      gl.uniform1f(at.u_selected, scene.selected >= 0 ? scene.selected : -2);
      gl.uniform1i(at.u_picking, picking);
      if (at.u_dark) gl.uniform1i(at.u_dark, dark);
      gl.uniform1f(at.u_fade, 0);
      gl.uniform4f(at.u_tint, 0, 0, 0, 0);
    }
  }

  /** Draw one pose: opaque things, then what can be looked through; only the pose itself has ground and symbols. */
  drawLayer(layer, poses, scene, dark, itself, picking = false) {
    const { gl, frame } = this, tint = layer.tint ? [...rgb(layer.tint), 0.75] : [0, 0, 0, 0];
    for (const { program, at } of Object.values(this.programs)) {
      gl.useProgram(program);
      gl.uniform1f(at.u_fade, layer.fade);
      gl.uniform4f(at.u_tint, ...tint);
    }
    const shown = this.parts.filter(({ group }) => (group === "symbol" ? itself && scene.symbols !== false : itself || group === "moving"));
    if (poses !== this.poseTexture.poses) this.poseTexture.fill(poses, frame.middle, frame.radius);
    for (const part of shown) if (!part.clear) this.drawPart(part, dark, poses, picking);
    this.drawStretched(poses, dark, picking);
    if (itself) this.drawWanderers(layer, dark);
    const clear = shown.filter((part) => part.clear);
    if (!clear.length) return;
    if (!picking) {
      gl.enable(gl.BLEND);
      gl.depthMask(false);
    }
    for (const part of clear) this.drawPart(part, dark, poses, picking);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  /** Draw a batch; solids with their outlines. */
  drawPart(part, dark, poses, picking) {
    const { gl, frame } = this;
    if (this.hasty && !picking && part.thin?.thickest * frame.scale * frame.radius < THIN) return this.drawThin(part.thin.copies, dark);
    if (part.sort === "solid") return this.drawSolids(part.copies, part.kind, dark, !part.clear && !picking && part.edged !== false && this.outlined(part.kind));
    const { program } = this.programs[part.sort];
    gl.useProgram(program);
    if (part.sort === "face") {
      const unit = frame.radius;
      part.copies.draw(dark, (body, point) => frame.nearness(placedPoint(poses, 3, body, point.map((x) => x * unit))));
    } else part.copies.draw(dark);
  }

  /** Draw tubes as lines. */
  drawThin(copies, dark) {
    const { gl, frame } = this, { at, program } = this.programs.line;
    gl.useProgram(program);
    gl.uniform1f(at.u_width, frame.scale * frame.radius);
    copies.draw(dark);
    gl.uniform1f(at.u_width, 1);
  }

  /** Return whether solids of a kind have outlines: where there are many, or in haste, they would take too long. */
  outlined(kind) {
    return !this.hasty && !(kind.startsWith("tiny") && this.data.drawing.strokes.length > MANY);
  }

  /** Draw copies of a solid, and their outlines: the same a little larger, of which only the inside is seen. */
  drawSolids(copies, kind, dark, outlined) {
    const { gl, frame } = this, { program, at } = this.programs.solid;
    gl.useProgram(program);
    gl.uniform1i(at.u_kind, KINDS[kind.split(" ").pop()]);
    gl.uniform1f(at.u_grow, 0);
    gl.uniform1i(at.u_outline, 0);
    if (kind === "mesh") gl.disable(gl.CULL_FACE);
    else gl.enable(gl.CULL_FACE);
    gl.cullFace(gl.BACK);
    copies.draw(dark);
    if (outlined) {
      gl.enable(gl.CULL_FACE);
      gl.cullFace(gl.FRONT);
      gl.uniform1i(at.u_outline, 1);
      gl.uniform1f(at.u_grow, OUTLINE / (frame.scale * frame.radius));
      copies.draw(dark);
    }
    gl.disable(gl.CULL_FACE);
  }

  /** Draw springs, cylinders and rods where they lie now. */
  drawStretched(poses, dark, picking) {
    const { gl } = this, things = this.data.drawing.stretched;
    if (!things.length) return;
    const { tubes, lines } = stretchedRows(things, poses, this.frame.radius);
    this.springs.tubes.fill(tubes, gl.DYNAMIC_DRAW);
    this.springs.lines.fill(lines, gl.DYNAMIC_DRAW);
    this.drawSolids(this.springs.tubes, "tube", dark, !picking && !this.hasty);
    this.copies("line", this.springs.lines, dark);
  }

  /** Draw dots that move in no body. */
  drawWanderers(layer, dark) {
    const rows = [], found = [], unit = this.frame.radius, run = this.data.runs[layer.run];
    for (const thing of this.data.drawing.wanderers) {
      const places = thing.places?.[layer.run];
      if (!places) continue;
      const count = run.time.length, k = Math.min(Math.max(run.time.findLastIndex((t) => t <= layer.time), 0), count - 1), next = Math.min(k + 1, count - 1);
      const step = run.time[next] - run.time[k], s = step > 0 ? Math.min((layer.time - run.time[k]) / step, 1) : 0;
      const place = [0, 1, 2].map((i) => places[3 * k + i] * (1 - s) + places[3 * next + i] * s);
      if (!place.every(Number.isFinite)) continue;
      rows.push(...place.map((x) => x / unit), (thing.width * 96) / 72, (3 * this.data.drawing.size) / unit, 0, 0, thing.owner);
      found.push({ color: thing.color, alpha: 1 });
    }
    if (!rows.length) return;
    this.copies("dot", this.wandering.fill({ rows, inks: found }, this.gl.DYNAMIC_DRAW), dark);
  }

  /** Draw copies of lines or dots. */
  copies(sort, copies, dark, count) {
    this.gl.useProgram(this.programs[sort].program);
    copies.draw(dark, count);
  }

  /** Draw the paths of points: pale as a whole, bright up to now, and a dot where the point is. */
  drawTraces(scene, dark) {
    const { gl, data, frame } = this, { at, program } = this.programs.line, dots = [], colors = [];
    if (!scene.traces?.length) return;
    for (const { run, body, point, color } of scene.traces) {
      const layer = scene.layers.findLast((one) => one.run === run) ?? { time: 0 }, key = `${run} ${body} ${point.join(" ")} ${color}`;
      if (!this.traces.has(key)) this.traces.set(key, this.lines([pathInSpace(data.runs[run], body, point)], color, 1.2));
      const until = data.runs[run].time.findLastIndex((t) => t <= layer.time), path = this.traces.get(key);
      gl.useProgram(program);
      gl.uniform1f(at.u_fade, 0.78);
      path.draw(dark);
      gl.uniform1f(at.u_fade, 0);
      path.draw(dark, Math.max(0, Math.min(until, path.count)));
      dots.push(...placedPoint(this.poses(run, layer.time), 3, body, point).map((x) => x / frame.radius), 6, 0.02, 0, 0, -1);
      colors.push({ color, alpha: 1 });
    }
    this.copies("dot", this.wandering.fill({ rows: dots, inks: colors }, gl.DYNAMIC_DRAW), dark);
  }

  // --- names and clicks ------------------------------------------------------------------------------------------------------

  /** Return points along everything that names had better not cover [CSS pixels]. */
  obstacles(poses) {
    const found = [], add = (a, b) => {
      for (let s = 0; s <= 1; s += 0.125) found.push([a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])]);
    };
    const place = (body, points, k) => this.frame.onScreen(placedPoint(poses, 3, body, points, 3 * k));
    for (const { kind, body, points, radius } of this.data.drawing.strokes) {
      if (kind === "tube") {
        const [a, b] = [place(body, points, 0), place(body, points, 1)], long = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
        const reach = radius * this.frame.scale, x = ((a[1] - b[1]) / long) * reach, y = ((b[0] - a[0]) / long) * reach;
        for (const side of reach > 3 ? [-1, 0, 1] : [0]) add([a[0] + side * x, a[1] + side * y], [b[0] + side * x, b[1] + side * y]);
      } else if (kind === "ball" || kind === "dot") found.push(place(body, points, 0));
      else if (kind === "box") for (let k = 0; k < 8; k++) found.push(place(body, points, k));
    }
    for (const { bodies, points } of this.data.drawing.stretched) add(place(bodies[0], points, 0), place(bodies[1], points, 1));
    return found.filter(([x, y]) => Number.isFinite(x + y));
  }

  /**
   * Return what lies at a point of the canvas: a joint near it, else what is seen there.
   * @param {number} x [CSS pixels]
   * @param {number} y
   * @returns {number} owner; -1: nothing
   */
  pick(x, y) {
    return this.picks(x, y)[0] ?? -1;
  }

  /**
   * Return everything near a point of the canvas: joints first, covered ones too, then forces, then bodies that are seen.
   * @param {number} x [CSS pixels]
   * @param {number} y
   * @returns {number[]} owners
   */
  picks(x, y) {
    return this.picking.at(x, y);
  }
}
