// What a spatial picture keeps on the graphics card: buffers of shapes, of rows of numbers, and the texture of poses.

import { rgb, tone } from "./common.js";
import { ROW } from "./shaders.js";
import { WIDTHS } from "./space_parts.js";

/** Where the numbers of a row go: location of the attribute, and how many. */
const FIELDS = {
  solid: [[2, 3], [3, 3], [4, 3], [5, 3], [7, 2]],
  line: [[1, 3], [2, 3], [3, 3], [4, 4], [7, 2]],
  dot: [[1, 3], [3, 3], [7, 2]],
};
const COLOR = 6;

/** Return a buffer with data. */
function filled(gl, target, data, usage = gl.STATIC_DRAW) {
  const buffer = gl.createBuffer();
  gl.bindBuffer(target, buffer);
  gl.bufferData(target, data, usage);
  return buffer;
}

/** Let an attribute be read from the buffer that is bound. */
function attribute(gl, location, size, stride, offset, perInstance) {
  gl.enableVertexAttribArray(location);
  gl.vertexAttribPointer(location, size, gl.FLOAT, false, 4 * stride, 4 * offset);
  gl.vertexAttribDivisor(location, perInstance ? 1 : 0);
}

/** Corners of a line: along it from 0 to 1, across from -1 to 1. */
export const STRIP = flat([0, -1, 1, -1, 0, 1, 1, 1]);

/** Corners of a dot. */
export const SQUARE = flat([-1, -1, 1, -1, -1, 1, 1, 1]);

/** Return a flat shape of four corners. */
function flat(corners) {
  return { points: Float32Array.from(corners), normals: null, triangles: Uint32Array.from([0, 1, 2, 2, 1, 3]) };
}

/**
 * Copies of a shape, one for every row of numbers, as one large shape whose corners each carry their row: where a processor
 * does the work of a graphics card, every instance of an instanced drawing costs as much as a drawing of its own.
 */
export class Copies {
  /**
   * @param {WebGL2RenderingContext} gl
   * @param {"solid"|"line"|"dot"} sort
   * @param {import("./unit_shapes.js").Shape} shape
   * @param {boolean} [alone] whether there is one row only, which all corners then share: for meshes, which have many
   */
  constructor(gl, sort, shape, alone = false) {
    Object.assign(this, { gl, shape, alone, count: 0, room: 0, inks: [], dark: null, stride: WIDTHS[sort] });
    this.size = shape.normals ? 3 : 2;
    this.corners = shape.points.length / this.size;
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    [this.points, this.normals, this.rows, this.colors, this.triangles] = Array.from({ length: 5 }, () => gl.createBuffer());
    this.read(this.points, [[0, this.size]], this.size, false);
    if (shape.normals) this.read(this.normals, [[1, 3]], 3, false);
    this.read(this.rows, FIELDS[sort], this.stride, alone);
    this.read(this.colors, [[COLOR, 4]], 4, alone);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.triangles);
    gl.bindVertexArray(null);
  }

  /** Let attributes be read from a buffer. */
  read(buffer, fields, stride, perInstance) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    let offset = 0;
    for (const [location, size] of fields) {
      attribute(gl, location, size, stride, offset, perInstance);
      offset += size;
    }
  }

  /** Take rows and their colors. */
  fill({ rows, inks }, usage = this.gl.STATIC_DRAW) {
    const { gl } = this;
    this.count = rows.length / this.stride;
    this.inks = inks;
    this.dark = null;
    if (this.count > this.room) this.reserve(usage === gl.STATIC_DRAW ? this.count : Math.ceil(1.5 * this.count));
    this.put(this.rows, repeated(rows, this.stride, this.alone ? 1 : this.corners), usage);
    return this;
  }

  /** Make room for so many copies. */
  reserve(count) {
    const { gl, shape, size, corners } = this, { triangles } = shape, all = new Uint32Array(count * triangles.length);
    for (let k = 0; k < all.length; k++) all[k] = triangles[k % triangles.length] + corners * Math.floor(k / triangles.length);
    this.put(this.points, tiled(shape.points, size, corners, count), gl.STATIC_DRAW);
    if (shape.normals) this.put(this.normals, tiled(shape.normals, size, corners, count), gl.STATIC_DRAW);
    gl.bindVertexArray(this.array);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, all, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    this.room = count;
  }

  /** Fill a buffer. */
  put(buffer, data, usage) {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, buffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, data, usage);
  }

  /** Take the colors for light or dark paper. */
  paint(dark) {
    if (this.dark === dark) return;
    this.dark = dark;
    this.put(this.colors, repeated(colored(this.inks, dark), 4, this.alone ? 1 : this.corners), this.gl.STATIC_DRAW);
  }

  /** Draw some rows, by default all. */
  draw(dark, count = this.count) {
    if (!count) return;
    this.paint(dark);
    const { gl } = this;
    gl.bindVertexArray(this.array);
    if (this.alone) gl.drawElementsInstanced(gl.TRIANGLES, this.shape.triangles.length, gl.UNSIGNED_INT, 0, 1);
    else gl.drawElements(gl.TRIANGLES, count * this.shape.triangles.length, gl.UNSIGNED_INT, 0);
  }
}

/** Return rows with each of them so many times. */
function repeated(rows, width, times) {
  const found = new Float32Array(rows.length * times);
  for (let from = 0, to = 0; from < rows.length; from += width) {
    for (let k = 0; k < times; k++) for (let c = 0; c < width; c++) found[to++] = rows[from + c];
  }
  return found;
}

/** Return the numbers of a shape's corners so many times. */
function tiled(numbers, size, corners, times) {
  const found = new Float32Array(size * corners * times);
  for (let k = 0; k < times; k++) found.set(numbers, k * size * corners);
  return found;
}

const known = new Map();

/** Return red, green, blue and opacity of inks on light or dark paper. */
function colored(inks, dark) {
  const found = new Float32Array(4 * inks.length);
  inks.forEach(({ color, alpha }, k) => {
    const key = `${color}${dark}`;
    if (!known.has(key)) known.set(key, rgb(tone(color, dark)));
    found.set(known.get(key), 4 * k);
    found[4 * k + 3] = alpha;
  });
  return found;
}

/** Transparent plates, drawn from the farthest to the nearest. */
export class Plates {
  /**
   * @param {WebGL2RenderingContext} gl
   * @param {{stroke: object, points: number[][], normal: number[], triangles: number[][]}[]} plates
   */
  constructor(gl, plates) {
    this.gl = gl;
    this.dark = null;
    this.plates = [];
    this.inks = [];
    const points = [], normals = [], tags = [];
    for (const { stroke, points: corners, normal, triangles } of plates) {
      const first = points.length / 3, middle = [0, 1, 2].map((k) => corners.reduce((sum, p) => sum + p[k], 0) / corners.length);
      this.plates.push({ body: stroke.body, middle, triangles: triangles.flat().map((k) => first + k) });
      for (const corner of corners) {
        points.push(...corner);
        normals.push(...normal);
        tags.push(stroke.body, stroke.owner);
        this.inks.push({ color: stroke.color, alpha: stroke.alpha });
      }
    }
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    for (const [location, size, data] of [[0, 3, points], [1, 3, normals], [7, 2, tags]]) {
      filled(gl, gl.ARRAY_BUFFER, Float32Array.from(data));
      attribute(gl, location, size, size, 0, false);
    }
    this.colors = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.colors);
    attribute(gl, COLOR, 4, 4, 0, false);
    this.triangles = gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.triangles);
    gl.bindVertexArray(null);
  }

  /**
   * Draw them.
   * @param {boolean} dark
   * @param {(body: number, point: number[]) => number} nearness how near to the eye a point of a body is
   */
  draw(dark, nearness) {
    if (!this.plates.length) return;
    const { gl } = this;
    if (this.dark !== dark) {
      this.dark = dark;
      gl.bindBuffer(gl.ARRAY_BUFFER, this.colors);
      gl.bufferData(gl.ARRAY_BUFFER, colored(this.inks, dark), gl.STATIC_DRAW);
    }
    const order = this.plates.map((plate) => [nearness(plate.body, plate.middle), plate]).sort((a, b) => a[0] - b[0]);
    const triangles = Uint32Array.from(order.flatMap(([, plate]) => plate.triangles));
    gl.bindVertexArray(this.array);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.DYNAMIC_DRAW);
    gl.drawElements(gl.TRIANGLES, triangles.length, gl.UNSIGNED_INT, 0);
  }
}

/** The poses of all bodies where shaders read them. */
export class PoseTexture {
  /**
   * @param {WebGL2RenderingContext} gl
   * @param {number} bodies
   */
  constructor(gl, bodies) {
    this.gl = gl;
    this.rows = Math.ceil(bodies / ROW);
    this.numbers = new Float32Array(8 * ROW * this.rows);
    this.texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, 2 * ROW, this.rows);
  }

  /**
   * Take the poses of a layer.
   * @param {Float64Array} poses (bodies, 7)
   * @param {number[]} middle that positions are measured from
   * @param {number} unit length that counts as 1
   */
  fill(poses, middle, unit) {
    const { gl, numbers } = this;
    this.poses = poses;
    for (let from = 0, to = 0; from < poses.length; from += 7, to += 8) {
      for (let k = 0; k < 3; k++) numbers[to + k] = (poses[from + k] - middle[k]) / unit;
      for (let k = 0; k < 4; k++) numbers[to + 4 + k] = poses[from + 3 + k];
    }
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 2 * ROW, this.rows, gl.RGBA, gl.FLOAT, numbers);
  }
}
