// Shapes that the graphics card stretches to tubes, balls and boxes, and meshes with their normals.

/** Cosine of the angle above which two faces of a mesh meet in an edge. */
const CREASE = Math.cos((35 * Math.PI) / 180);

/**
 * @typedef {object} Shape
 * @property {Float32Array} points flat
 * @property {Float32Array} normals flat
 * @property {Uint32Array} triangles counter-clockwise seen from outside
 */

/** Return a shape from lists. */
function shape(points, normals, triangles) {
  return { points: Float32Array.from(points), normals: Float32Array.from(normals), triangles: Uint32Array.from(triangles) };
}

/**
 * Return the closed cylinder of radius 1 about z from -1 to 1.
 * @param {number} sides
 * @returns {Shape}
 */
export function unitTube(sides) {
  const points = [], normals = [], triangles = [];
  for (let k = 0; k <= sides; k++) {
    const a = (2 * Math.PI * k) / sides, x = Math.cos(a), y = Math.sin(a);
    points.push(x, y, -1, x, y, 1);
    normals.push(x, y, 0, x, y, 0);
    if (k < sides) triangles.push(2 * k, 2 * k + 2, 2 * k + 3, 2 * k, 2 * k + 3, 2 * k + 1);
  }
  for (const z of [-1, 1]) {
    const first = points.length / 3;
    for (let k = 0; k < sides; k++) {
      const a = (2 * Math.PI * k) / sides;
      points.push(Math.cos(a), Math.sin(a), z);
      normals.push(0, 0, z);
      if (k > 1) triangles.push(first, first + (z < 0 ? k : k - 1), first + (z < 0 ? k - 1 : k));
    }
  }
  return shape(points, normals, triangles);
}

/**
 * Return the ball of radius 1.
 * @param {number} sides even
 * @returns {Shape}
 */
export function unitBall(sides) {
  const points = [], triangles = [], rings = sides / 2;
  for (let j = 0; j <= rings; j++) {
    for (let k = 0; k <= sides; k++) {
      const polar = (Math.PI * j) / rings, a = (2 * Math.PI * k) / sides;
      points.push(Math.sin(polar) * Math.cos(a), Math.sin(polar) * Math.sin(a), Math.cos(polar));
      if (j === rings || k === sides) continue;
      const here = j * (sides + 1) + k, below = here + sides + 1;
      if (j > 0) triangles.push(here, below, here + 1);
      if (j < rings - 1) triangles.push(here + 1, below, below + 1);
    }
  }
  return shape(points, points, triangles);
}

/**
 * Return the cube from -1 to 1.
 * @returns {Shape}
 */
export function unitBox() {
  const points = [], normals = [], triangles = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const first = points.length / 3;
      for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
        const corner = [0, 0, 0], normal = [0, 0, 0];
        corner[axis] = normal[axis] = side;
        corner[(axis + 1) % 3] = u;
        corner[(axis + 2) % 3] = v;
        points.push(...corner);
        normals.push(...normal);
      }
      triangles.push(...(side > 0 ? [0, 1, 2, 0, 2, 3] : [0, 2, 1, 0, 3, 2]).map((k) => first + k));
    }
  }
  return shape(points, normals, triangles);
}

/**
 * Return a mesh with normals that are smooth but across creases.
 * @param {ArrayLike<number>} points flat
 * @param {ArrayLike<number>} triangles flat
 * @returns {Shape}
 */
export function creased(points, triangles) {
  const count = triangles.length / 3, flat = new Float64Array(3 * count), smooth = new Float64Array(points.length);
  for (let t = 0; t < count; t++) {
    const [a, b, c] = [0, 1, 2].map((k) => 3 * triangles[3 * t + k]);
    const u = [0, 1, 2].map((k) => points[b + k] - points[a + k]), v = [0, 1, 2].map((k) => points[c + k] - points[a + k]);
    const area = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]], size = Math.hypot(...area) || 1;
    for (let k = 0; k < 3; k++) {
      flat[3 * t + k] = area[k] / size;
      for (const corner of [a, b, c]) smooth[corner + k] += area[k];
    }
  }
  const places = new Float32Array(9 * count), normals = new Float32Array(9 * count);
  for (let t = 0; t < count; t++) {
    for (let k = 0; k < 3; k++) {
      const at = 3 * triangles[3 * t + k], size = Math.hypot(smooth[at], smooth[at + 1], smooth[at + 2]) || 1;
      let cosine = 0;
      for (let i = 0; i < 3; i++) cosine += (flat[3 * t + i] * smooth[at + i]) / size;
      for (let i = 0; i < 3; i++) {
        places[9 * t + 3 * k + i] = points[at + i];
        normals[9 * t + 3 * k + i] = cosine < CREASE ? flat[3 * t + i] : smooth[at + i] / size;
      }
    }
  }
  return { points: places, normals, triangles: Uint32Array.from({ length: 3 * count }, (_, k) => k) };
}
