// Names in a picture, each beside its point where it covers least, and staying there while the picture moves.

/** Where a name may stand from its point, best first; the second number is up. */
const DIRECTIONS = [45, 135, -45, -135, 90, 0, 180, -90, 20, 160, -20, -160]
  .map((degrees) => (degrees * Math.PI) / 180)
  .map((angle) => [Math.cos(angle), Math.sin(angle)]);
const REACHES = [1, 1.8, 2.6, 4];

/** More names than these are shown only where there is room. */
export const MANY = 40;

/** A place is left only for one that is better by this: names that jump are worse than names that cover a line. */
const PATIENCE = 2;

/** A name whose point has moved farther than this since the last picture looks for its place anew [pixels]. */
const LEAP = 40;

/** What it costs to cover another name, the place where one stood, a drawn point, or to leave the picture. */
const ON_NAME = 40, ON_STANDING = 3, ON_POINT = 0.25, OUTSIDE = 20;

/**
 * @typedef {object} Name
 * @property {string} key what the name is known by from one picture to the next
 * @property {number} x where it belongs [pixels]
 * @property {number} y
 * @property {number} width of the text [pixels]
 * @property {number} height
 * @property {number} gap how far off it stands [pixels]
 */

export class Labels {
  constructor() {
    /** Place of each name in the last picture (an index into directions and reaches), and where it belonged then. */
    this.places = new Map();
  }

  /**
   * Return where the middle of each name is to be written; those that come first choose first.
   * @param {Name[]} names
   * @param {number[][]} points that had better stay visible [pixels]
   * @param {{width: number, height: number}} frame
   * @returns {({x: number, y: number}|null)[]} null where there is no room: two names over each other tell nothing
   */
  placed(names, points, frame) {
    const taken = [], crowded = names.length > MANY, grid = new Grid(points);
    const places = DIRECTIONS.length * (crowded ? 1 : REACHES.length);
    const standing = names.map((name) => (this.had(name) < 0 ? null : boxAt(name, this.had(name))));
    return names.map((name, k) => {
      standing[k] = null; // who comes later keeps its place where it can
      const best = this.best(name, places, taken, standing, grid, frame);
      if (covered(best.box, taken) || (crowded && best.cost >= OUTSIDE)) {
        this.places.delete(name.key);
        return null;
      }
      this.places.set(name.key, { place: best.place, x: name.x, y: name.y });
      taken.push(best.box);
      return { x: (best.box[0] + best.box[2]) / 2, y: (best.box[1] + best.box[3]) / 2 };
    });
  }

  /** Return the place that a name had; -1 if none, or if the picture has leapt since. */
  had(name) {
    const last = this.places.get(name.key);
    return last && Math.hypot(name.x - last.x, name.y - last.y) < LEAP ? last.place : -1;
  }

  /** Return the cheapest place of a name; the one that it has is left only for a much better one. */
  best(name, places, taken, standing, grid, frame) {
    const had = this.had(name);
    let best = null;
    for (let place = 0; place < places; place++) {
      let cost = 0.02 * (place % DIRECTIONS.length) + 0.3 * Math.floor(place / DIRECTIONS.length);
      if (place === had) cost -= PATIENCE;
      if (best && cost >= best.cost) continue;
      const box = boxAt(name, place);
      cost += ON_NAME * covered(box, taken) + ON_POINT * grid.inside(box) + (outside(box, frame) ? OUTSIDE : 0);
      if (place !== had) cost += ON_STANDING * covered(box, standing);
      if (!best || cost < best.cost) best = { cost, place, box };
    }
    return best;
  }
}

/** Return the box of a name at a place. */
function boxAt(name, place) {
  const [dx, dy] = DIRECTIONS[place % DIRECTIONS.length], reach = name.gap * REACHES[Math.floor(place / DIRECTIONS.length)];
  const x = name.x + dx * (reach + name.width / 2), y = name.y - dy * (reach + name.height / 2);
  return [x - name.width / 2, y - name.height / 2, x + name.width / 2, y + name.height / 2];
}

/** Return how many other boxes a box covers. */
function covered(box, others) {
  let count = 0;
  for (const other of others) {
    if (other && box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3]) count++;
  }
  return count;
}

/** Return whether a box leaves the picture. */
function outside(box, frame) {
  return box[0] < 0 || box[1] < 0 || box[2] > frame.width || box[3] > frame.height;
}

/** Points in cells, so that those in a box are found quickly. */
class Grid {
  constructor(points, size = 24) {
    this.size = size;
    this.cells = new Map();
    for (const [x, y] of points) {
      const key = this.key(Math.floor(x / size), Math.floor(y / size));
      const cell = this.cells.get(key);
      if (cell) cell.push(x, y);
      else this.cells.set(key, [x, y]);
    }
  }

  key(i, j) {
    return i * 65536 + j;
  }

  /** Return how many points lie in a box. */
  inside([x0, y0, x1, y1]) {
    let count = 0;
    for (let i = Math.floor(x0 / this.size); i <= Math.floor(x1 / this.size); i++) {
      for (let j = Math.floor(y0 / this.size); j <= Math.floor(y1 / this.size); j++) {
        const cell = this.cells.get(this.key(i, j)) ?? [];
        for (let k = 0; k < cell.length; k += 2) {
          if (cell[k] > x0 && cell[k] < x1 && cell[k + 1] > y0 && cell[k + 1] < y1) count++;
        }
      }
    }
    return count;
  }
}
