// Wheel, pointers and pinch on a canvas: the same hands move a picture of the plane and one of space.

/** How far a picture can be zoomed in and out of its fit. */
const NEAREST = 1e4, FARTHEST = 0.05;

/**
 * Return a scale that is within what a picture can be zoomed to.
 * @param {number} scale that is asked for
 * @param {number} whole at which everything just fits
 * @returns {number}
 */
export function within(scale, whole) {
  return Math.min(Math.max(scale, FARTHEST * whole), NEAREST * whole);
}

export class Gestures {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {{zoom: (factor: number, x: number, y: number) => void, pan: (dx: number, dy: number) => void, fit: () => void, onchange: () => void}} view
   * @param {(dx: number, dy: number, event: PointerEvent) => void} [drag] what one pointer does; default: it moves the picture
   */
  constructor(canvas, view, drag = (dx, dy) => view.pan(dx, dy)) {
    this.canvas = canvas;
    this.view = view;
    this.drag = drag;
    this.pointers = new Map();
    canvas.style.touchAction = "none";
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.pointers.delete(event.pointerId));
    canvas.addEventListener("dblclick", () => { view.fit(); view.onchange(); });
  }

  wheel(event) {
    event.preventDefault();
    const step = event.deltaMode === 1 ? 33 * event.deltaY : event.deltaY, [x, y] = this.place(event);
    this.view.zoom(Math.exp(-0.0016 * Math.max(-400, Math.min(400, step))), x, y);
  }

  down(event) {
    this.pointers.set(event.pointerId, this.place(event));
    try {
      this.canvas.setPointerCapture(event.pointerId);
    } catch {} // a pointer that a script made up
  }

  /** One pointer drags the picture, two move and zoom it. */
  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = this.place(event), dx = now[0] - before[0], dy = now[1] - before[1];
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.pointers.set(event.pointerId, now);
    if (!other) return this.drag(dx, dy, event);
    const was = Math.hypot(before[0] - other[0], before[1] - other[1]), is = Math.hypot(now[0] - other[0], now[1] - other[1]);
    this.view.pan(dx / 2, dy / 2);
    if (was > 1) this.view.zoom(is / was, (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
  }

  /** Return where a pointer is on the canvas [CSS pixels]. */
  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }
}
