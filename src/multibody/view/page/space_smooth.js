// A picture with smooth edges: drawn with several samples a pixel beside the canvas, then brought onto it.
//
// The canvas itself has one sample, so that pictures in motion can do without where a processor has to draw them.

/** Samples a pixel. */
const SAMPLES = 4;

export class Smooth {
  /** @param {WebGL2RenderingContext} gl */
  constructor(gl) {
    this.gl = gl;
    this.samples = Math.min(SAMPLES, gl.getParameter(gl.MAX_SAMPLES));
    this.frame = null;
  }

  /** Begin a picture of the size and the format of the canvas, which has no opacity. */
  begin() {
    const { gl } = this, { width, height } = gl.canvas;
    if (!this.frame) {
      this.frame = gl.createFramebuffer();
      this.color = gl.createRenderbuffer();
      this.depth = gl.createRenderbuffer();
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
    if (this.width === width && this.height === height) return;
    for (const [place, buffer, format] of [[gl.COLOR_ATTACHMENT0, this.color, gl.RGB8], [gl.DEPTH_ATTACHMENT, this.depth, gl.DEPTH_COMPONENT24]]) {
      gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
      gl.renderbufferStorageMultisample(gl.RENDERBUFFER, this.samples, format, width, height);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, buffer);
    }
    Object.assign(this, { width, height });
  }

  /** Bring the picture onto the canvas. */
  end() {
    const { gl, width, height } = this;
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, this.frame);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
    gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }
}
