// What stands above the solids of a spatial picture, on canvases of their own: arrows and names, scales, axes and gravity.

import { inks } from "./common.js";
import { drawScales, shownArrows } from "./flat_marks.js";
import { drawAxes, drawSpaceArrows, drawSpaceGravity } from "./space_marks.js";

const FONT = "system-ui, sans-serif";

/** Room for scales, axes and gravity in their corners [CSS pixels]. */
const SCALES = 300, AXES = 90, GRAVITY = 60;

/** A small canvas in a corner that is drawn only when it changes: a large one would be blended with every picture below it. */
class Corner {
  /** @param {HTMLCanvasElement} below that it stands on */
  constructor(below) {
    this.canvas = above(below);
    this.key = null;
  }

  /**
   * Draw it where something has changed.
   * @param {string} key what the drawing depends on; empty: there is none
   * @param {number[]} box left, top, width and height on the stage [CSS pixels]
   * @param {number} ratio pixels of the screen a CSS pixel
   * @param {(context: CanvasRenderingContext2D) => void} paint with the stage's own coordinates
   */
  show(key, box, ratio, paint) {
    const { canvas } = this, all = key && `${key} ${box} ${ratio}`, [x, y, wide, high] = box.map(Math.round);
    if (all === this.key) return;
    this.key = all;
    canvas.hidden = !key;
    if (!key) return;
    Object.assign(canvas.style, { inset: `${y}px auto auto ${x}px`, width: `${wide}px`, height: `${high}px` });
    canvas.width = Math.max(1, Math.round(wide * ratio));
    canvas.height = Math.max(1, Math.round(high * ratio));
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, -x * ratio, -y * ratio);
    paint(context);
  }
}

/** Return a new canvas on another one that lets the pointer through. */
function above(below) {
  const canvas = document.createElement("canvas");
  canvas.style.pointerEvents = "none";
  canvas.hidden = true;
  below.after(canvas);
  return canvas;
}

export class Above {
  /**
   * @param {HTMLCanvasElement} below with the solids
   * @param {object} data of the page, decoded
   * @param {import("./naming.js").Naming} naming
   */
  constructor(below, data, naming) {
    this.data = data;
    this.naming = naming;
    this.scales = new Corner(below);
    this.axes = new Corner(below);
    this.gravity = new Corner(below);
    this.canvas = above(below); // stands below the corners
    this.context = this.canvas.getContext("2d");
  }

  /**
   * Draw arrows and names; the large canvas is there only for them.
   * @param {object} scene as the stage draws it
   * @param {import("./camera.js").Camera} frame
   * @param {Float64Array[]} poses of all layers
   * @param {boolean} dark
   * @param {() => number[][]} obstacles points that names had better not cover
   */
  drawMoving(scene, frame, poses, dark, obstacles) {
    const { context, canvas, data, naming } = this, ink = inks(dark), arrows = Object.values(scene.arrows ?? {}).some((scale) => scale > 0);
    naming.written = [];
    canvas.hidden = !scene.names && !arrows;
    if (canvas.hidden) return;
    const wide = Math.max(1, Math.round(frame.width * frame.ratio)), high = Math.max(1, Math.round(frame.height * frame.ratio));
    if (canvas.width !== wide) canvas.width = wide;
    if (canvas.height !== high) canvas.height = high;
    context.setTransform(frame.ratio, 0, 0, frame.ratio, 0, 0);
    context.clearRect(0, 0, frame.width, frame.height);
    scene.layers.forEach((layer, k) => {
      if (layer.fade < 0.5) drawSpaceArrows(context, frame, data.runs[layer.run], layer.time, poses[k], scene.arrows ?? {}, dark, ink.paper);
    });
    if (scene.names) naming.draw(context, frame, poses[poses.length - 1], obstacles, ink, dark);
  }

  /**
   * Draw what stands in the corners.
   * @param {object} scene
   * @param {import("./camera.js").Camera} frame
   * @param {boolean} dark
   */
  drawCorners(scene, frame, dark) {
    const { data } = this, ink = inks(dark), { width, height, ratio } = frame, shown = shownArrows(data, scene);
    const bars = shown.map(({ sort, scale }) => `${sort} ${scale}`), high = 18 * (shown.length + 1) + 10, turned = `${frame.right} ${frame.up}`;
    this.scales.show(`${dark} ${frame.scale} ${bars}`, [0, height - high, Math.min(width, SCALES), high], ratio, (context) => {
      drawScales(context, frame, data.units.length, shown, ink, dark, FONT);
    });
    this.axes.show(`${dark} ${turned}`, [width - AXES, height - AXES, AXES, AXES], ratio, (context) => {
      drawAxes(context, frame, ink, dark, FONT);
    });
    this.gravity.show(scene.gravity && data.gravity ? `${dark} ${turned}` : "", [width - GRAVITY, 0, GRAVITY, GRAVITY], ratio, (context) => {
      drawSpaceGravity(context, frame, data.gravity, ink, FONT);
    });
  }
}
