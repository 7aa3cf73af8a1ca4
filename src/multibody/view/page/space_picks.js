// What lies at a point of a spatial picture.

import { placedPoint } from "./common.js";

/** Half the side of the square about a click that is looked at [CSS pixels]. */
const NEAR = 7;

/** How far behind joints forces and bodies come, whatever their distance [CSS pixels]. */
const BEHIND = { joint: 0, force: 100, body: 200 };

export class Picks {
  /** @param {import("./space.js").Space} stage */
  constructor(stage) {
    this.stage = stage;
    this.target = null;
  }

  /**
   * Return everything near a point of the canvas: joints first, covered ones too, then forces, then bodies that are seen.
   * @param {number} x [CSS pixels]
   * @param {number} y
   * @returns {number[]} owners
   */
  at(x, y) {
    const { last, gl, frame, data } = this.stage, { owners, names } = data.drawing;
    if (!last || !gl || gl.isContextLost()) return [];
    const near = names.filter(({ owner }) => owners[owner].sort === "joint").map(({ owner, body, point }) => {
      const place = placedPoint(last.poses, 3, body, point), [u, v] = frame.onScreen(place);
      return { owner, off: Math.hypot(u - x, v - y), near: frame.nearness(place) };
    });
    const joints = near.filter(({ off }) => off < NEAR).sort((a, b) => Math.round(a.off) - Math.round(b.off) || b.near - a.near);
    return [...new Set([...joints.map(({ owner }) => owner), ...this.seen(x, y)])];
  }

  /** Return the owners of what is seen near a point: joints before forces before bodies, the nearest of each sort first. */
  seen(x, y) {
    const { gl, frame, last: { scene, poses }, data } = this.stage, side = 2 * NEAR + 1, owners = data.drawing.owners;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.small(gl, side));
    gl.viewport(0, 0, side, side);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.stage.aim(frame.matrix(side, side, [x, y]), [side, side], scene, false, true);
    this.stage.drawLayer({ ...scene.layers[scene.layers.length - 1], fade: 0 }, poses, scene, Boolean(scene.dark), true, true);
    const pixels = new Uint8Array(4 * side * side), best = new Map();
    gl.readPixels(0, 0, side, side, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    for (let k = 0; k < side * side; k++) {
      const owner = pixels[4 * k] + 256 * pixels[4 * k + 1] + 65536 * pixels[4 * k + 2] - 1;
      const off = Math.hypot((k % side) - NEAR, Math.floor(k / side) - NEAR);
      if (!pixels[4 * k + 3] || owner < 0 || off > NEAR) continue;
      const cost = off + BEHIND[owners[owner].sort];
      if (!(best.get(owner) <= cost)) best.set(owner, cost);
    }
    return [...best].sort((a, b) => a[1] - b[1]).map(([owner]) => owner);
  }

  /** Return the small picture that clicks are looked up in. */
  small(gl, side) {
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
