// The stage of spatial mechanisms: solids, lines and dots by WebGL2, with names and arrows on a canvas above.

import { inks, placedPoint, posesAt, rgb } from "./common.js";
import { Camera } from "./camera.js";
import { drawScales, shownArrows } from "./flat_marks.js";
import { Naming } from "./naming.js";
import { compiled, DOT, FACE, LINE, SOLID } from "./shaders.js";
import { Copies, Geometry, Plates, PoseTexture } from "./space_buffers.js";
import { drawAxes, drawSpaceArrows, drawSpaceGravity, gridLines, pathInSpace } from "./space_marks.js";
import { batchesOf, cloudOf, fan, KINDS, lineRows, SIDES, stretchedRows, WIDTHS } from "./space_parts.js";
import { creased, unitBall, unitBox, unitTube } from "./unit_shapes.js";

const FONT = "system-ui, sans-serif";

/** Half the side of the square about a click that is looked at [CSS pixels]. */
const NEAR = 7;

/** Half the width of edges and the width of outlines [CSS pixels]. */
const EDGE = 0.4, OUTLINE = 1.1;

/** Strokes above which thin ones have few sides and no outlines; above which speed goes before beauty where there is no graphics card. */
const MANY = 2000, FEW = 250;

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
    this.naming = new Naming(data);
    this.overlay = document.createElement("canvas");
    this.overlay.style.pointerEvents = "none";
    canvas.after(this.overlay);
    this.context = this.overlay.getContext("2d");
    this.last = null;
    this.slow = data.drawing.strokes.length > FEW && withoutCard();
    this.gl = canvas.getContext("webgl2", { antialias: !this.slow, alpha: false, preserveDrawingBuffer: true });
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
    const { gl, data, frame } = this, unit = frame.radius;
    this.programs = { solid: compiled(gl, SOLID), face: compiled(gl, FACE), line: compiled(gl, LINE), dot: compiled(gl, DOT) };
    const batches = batchesOf(data.drawing, unit);
    this.shapes = { box: new Geometry(gl, unitBox()) };
    for (const [fineness, most] of Object.entries(SIDES)) {
      const sides = data.drawing.strokes.length > MANY && most < 16 ? 4 : most; // then they are thin lines on the screen
      this.shapes[`${fineness} tube`] = new Geometry(gl, unitTube(sides));
      this.shapes[`${fineness} ball`] = new Geometry(gl, unitBall(sides));
    }
    this.shapes.line = new Geometry(gl, null, [0, -1, 1, -1, 0, 1, 1, 1]);
    this.shapes.dot = new Geometry(gl, null, [-1, -1, 1, -1, -1, 1, 1, 1]);
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
    if (sort !== "mesh") return { sort, kind, group, clear, copies: new Copies(gl, sort, this.shapes[sort === "solid" ? kind : sort]).fill(batch) };
    const [stroke] = batch.strokes, shape = creased(stroke.points.map((x) => x / unit), stroke.triangles);
    const row = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, stroke.body, stroke.owner];
    const copies = new Copies(gl, "solid", new Geometry(gl, shape)).fill({ rows: row, inks: [{ color: stroke.color, alpha: stroke.alpha }] });
    return { sort: "solid", kind: "mesh", edged: stroke.width > 0, group, clear, copies };
  }

  /** Return lines that stand on the ground. */
  lines(lines, color, width) {
    const rows = lines.flatMap((points) => lineRows(points, this.frame.radius, { width, pull: 0, body: 0, owner: -1 }));
    const ink = { color, alpha: 1 };
    return new Copies(this.gl, "line", this.shapes.line).fill({ rows, inks: Array(rows.length / WIDTHS.line).fill(ink) });
  }

  /** Take the size of the canvas from the page. */
  resize() {
    const { frame } = this;
    frame.resize();
    const wide = Math.max(1, Math.round(frame.width * frame.ratio)), high = Math.max(1, Math.round(frame.height * frame.ratio));
    for (const canvas of [this.canvas, this.overlay]) {
      if (canvas.width !== wide) canvas.width = wide;
      if (canvas.height !== high) canvas.height = high;
    }
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
    if (this.gl && !this.gl.isContextLost()) this.drawSolid(scene, poses, dark);
    this.drawAbove(scene, poses, dark);
  }

  // --- solids, lines and dots ----------------------------------------------------------------------------------------------

  /** Draw what the graphics card draws: ghosts behind all, then motions that are laid over each other, the pose itself last. */
  drawSolid(scene, poses, dark) {
    const { gl, canvas, frame } = this, paper = rgb(inks(dark).paper);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(...paper, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.aim(frame.matrix(), [frame.width, frame.height], scene, dark, false);
    this.onGround();
    this.copies("line", this.grid, dark);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    const last = scene.layers.length - 1;
    scene.layers.forEach((layer, k) => {
      if (k && !(layer.fade >= 0.5 && k < last)) gl.clear(gl.DEPTH_BUFFER_BIT); // ghosts cover each other, nothing else
      if (k === last) this.drawTraces(scene, dark);
      this.drawLayer(layer, poses[k], scene, dark, k === last);
    });
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
      if (at.u_edge) gl.uniform1f(at.u_edge, EDGE * frame.ratio);
      gl.uniform3f(at.u_paper, ...rgb(ink.paper));
      gl.uniform3f(at.u_accent, ...rgb(ink.accent));
      gl.uniform1f(at.u_selected, scene.selected >= 0 ? scene.selected : -2);
      gl.uniform1i(at.u_picking, picking);
      if (at.u_dark) gl.uniform1i(at.u_dark, dark);
      gl.uniform1f(at.u_fade, 0);
      gl.uniform4f(at.u_tint, 0, 0, 0, 0);
    }
  }

  /** Take the ground alone as the pose of all: for what stands on it. */
  onGround() {
    this.poseTexture.fill(Float64Array.from([0, 0, 0, 1, 0, 0, 0]), this.frame.middle, this.frame.radius);
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
    this.poseTexture.fill(poses, frame.middle, frame.radius);
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
    if (part.sort === "solid") return this.drawSolids(part.copies, part.kind, dark, !part.clear && !picking && part.edged !== false && this.outlined(part.kind));
    const { program } = this.programs[part.sort];
    gl.useProgram(program);
    if (part.sort === "face") {
      const unit = frame.radius;
      part.copies.draw(dark, (body, point) => frame.nearness(placedPoint(poses, 3, body, point.map((x) => x * unit))));
    } else part.copies.draw(dark);
  }

  /** Return whether solids of a kind have outlines: where there are many, or no graphics card, they would take too long. */
  outlined(kind) {
    const count = this.data.drawing.strokes.length;
    return !this.slow && !(kind.startsWith("tiny") && count > MANY);
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
    this.drawSolids(this.springs.tubes, "tube", dark, !picking);
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
    this.onGround();
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

  // --- what stands above it -------------------------------------------------------------------------------------------------

  /** Draw arrows, names, scales, gravity and axes on the canvas above. */
  drawAbove(scene, poses, dark) {
    const { context, frame, data } = this, ink = inks(dark);
    context.setTransform(frame.ratio, 0, 0, frame.ratio, 0, 0);
    context.clearRect(0, 0, frame.width, frame.height);
    scene.layers.forEach((layer, k) => {
      if (layer.fade < 0.5) drawSpaceArrows(context, frame, data.runs[layer.run], layer.time, poses[k], scene.arrows ?? {}, dark, ink.paper);
    });
    this.naming.written = [];
    if (scene.names) this.naming.draw(context, frame, this.last.poses, () => this.obstacles(this.last.poses), ink, dark);
    if (!this.gl) return;
    drawScales(context, frame, data.units.length, shownArrows(data, scene), ink, dark, FONT);
    drawAxes(context, frame, ink, dark, FONT);
    if (scene.gravity && data.gravity) drawSpaceGravity(context, frame, data.gravity, ink, FONT);
  }

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

  // --- what was clicked -----------------------------------------------------------------------------------------------------

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
    if (!this.last || !this.gl || this.gl.isContextLost()) return [];
    const { owners, names } = this.data.drawing, { poses } = this.last, { frame } = this;
    const near = names.filter(({ owner }) => owners[owner].sort === "joint").map(({ owner, body, point }) => {
      const place = placedPoint(poses, 3, body, point), [u, v] = frame.onScreen(place);
      return { owner, off: Math.hypot(u - x, v - y), near: frame.nearness(place) };
    });
    const joints = near.filter(({ off }) => off < NEAR).sort((a, b) => Math.round(a.off) - Math.round(b.off) || b.near - a.near);
    return [...new Set([...joints.map(({ owner }) => owner), ...this.seen(x, y)])];
  }

  /** Return the owners of what is seen near a point: joints before forces before bodies, the nearest of each sort first. */
  seen(x, y) {
    const { gl, frame } = this, { scene, poses } = this.last, side = 2 * NEAR + 1, owners = this.data.drawing.owners;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.pickTarget(side));
    gl.viewport(0, 0, side, side);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.aim(frame.matrix(side, side, [x, y]), [side, side], scene, false, true);
    this.drawLayer({ ...scene.layers[scene.layers.length - 1], fade: 0 }, poses, scene, Boolean(scene.dark), true, true);
    const pixels = new Uint8Array(4 * side * side), best = new Map();
    gl.readPixels(0, 0, side, side, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    for (let k = 0; k < side * side; k++) {
      const owner = pixels[4 * k] + 256 * pixels[4 * k + 1] + 65536 * pixels[4 * k + 2] - 1;
      const off = Math.hypot((k % side) - NEAR, Math.floor(k / side) - NEAR);
      if (!pixels[4 * k + 3] || owner < 0 || off > NEAR) continue;
      const cost = off + { joint: 0, force: 100, body: 200 }[owners[owner].sort];
      if (!(best.get(owner) <= cost)) best.set(owner, cost);
    }
    return [...best].sort((a, b) => a[1] - b[1]).map(([owner]) => owner);
  }

  /** Return the small picture that clicks are looked up in. */
  pickTarget(side) {
    const { gl } = this;
    if (this.target) return this.target;
    this.target = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    for (const [place, format] of [[gl.COLOR_ATTACHMENT0, gl.RGBA8], [gl.DEPTH_ATTACHMENT, gl.DEPTH_COMPONENT24]]) {
      const buffer = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, side, side);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, buffer);
    }
    return this.target;
  }
}

/** Return whether a processor does the work of a graphics card. */
function withoutCard() {
  const gl = document.createElement("canvas").getContext("webgl2"), about = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = about ? gl.getParameter(about.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
