// How finely pictures in motion are drawn: where they come late on the screen, with fewer pixels until they come in time.
//
// What is measured is the time from one picture on the screen to the next, while each of them is a new one: it contains all
// that the page and the browser do, and a hand that moves slowly is not taken for a slow machine. Fewer pixels are kept only
// where they help: a screen that shows thirty pictures a second, or a processor that is busy with something else, shows no more
// of them for it.

/** Ways to draw, from fine to coarse: samples at edges or none, and pixels a pixel of the screen along each side. */
export const LEVELS = [
  { smooth: true, part: 1 }, { smooth: false, part: 1 }, { smooth: false, part: 0.75 }, { smooth: false, part: 0.5 },
];

/** A picture is late if it takes longer than this, and in time if it takes less than that [ms]: between them nothing changes. */
const LATE = 20, IN_TIME = 18.5;

/** Pictures that are judged together, and how many of the slowest are left out: other things on the machine come and go. */
const TOGETHER = 16, LEFT_OUT = 4;

/** What the time of pictures must have come down to for fewer pixels to be worth it. */
const WORTH = 0.9;

/** Judgments until it is tried to draw finer or coarser again (about 5 s), and how this grows each time it was in vain. */
const PATIENCE = 20, GROWTH = 4;

export class Pace {
  /** @param {number} finest level at which pictures in motion are drawn at best: 0, or 1 where there is no graphics card */
  constructor(finest = 0) {
    this.finest = finest;
    this.times = new Float64Array(TOGETHER);
    this.forget();
  }

  /** Begin anew: another size of the stage, another picture. */
  forget() {
    this.level = this.finest;
    this.count = 0;
    this.patience = PATIENCE;
    this.waited = 0;
    /** Time of a picture before it was drawn coarser, until it is known whether that was worth it; 0: nothing is tried. */
    this.before = 0;
    /** Whether it is tried to draw finer, and whether it was in vain to draw coarser. */
    this.trying = this.vain = false;
    this.rest();
  }

  /** Leave out the time until the next picture: nothing moves. */
  rest() {
    this.last = null;
    this.fresh = false;
  }

  /** Take notice of a new picture. */
  drawn() {
    this.fresh = true;
    if (!this.watching) this.watch();
  }

  /** Take the times at which the screen shows pictures as long as they are new ones. */
  watch() {
    this.watching = requestAnimationFrame((now) => {
      this.watching = 0;
      if (!this.fresh) return this.rest();
      if (this.last !== null) this.took(now - this.last);
      this.last = now;
      this.fresh = false;
      this.watch();
    });
  }

  /** @param {number} time from one picture in motion to the next [ms] */
  took(time) {
    this.times[this.count++] = time;
    if (this.count < TOGETHER) return;
    this.count = 0;
    this.times.sort();
    let sum = 0;
    for (let k = 0; k < TOGETHER - LEFT_OUT; k++) sum += this.times[k];
    this.judge(sum / (TOGETHER - LEFT_OUT));
  }

  /** Choose how the next pictures are drawn, by the mean time of the last ones. */
  judge(time) {
    this.waited++;
    if (time > LATE) this.coarser(time);
    else if (time < IN_TIME) this.finer();
  }

  /** Draw coarser; from the coarsest level, where that was not worth it, go back for a long while. */
  coarser(time) {
    if (this.trying) { // it was in time before
      this.trying = false;
      this.patience *= GROWTH;
      this.to(this.level + 1);
    } else if (this.vain && this.waited < this.patience) return;
    else if (this.level < LEVELS.length - 1) {
      if (this.level === this.finest) this.before = time;
      this.vain = false;
      this.to(this.level + 1);
    } else if (this.before && time > WORTH * this.before) {
      this.vain = true;
      this.patience *= GROWTH;
      this.to(this.finest);
    } else this.before = 0; // late, but less so
  }

  /** Stay, and after a while try to draw finer. */
  finer() {
    this.before = 0;
    this.trying = this.vain = false;
    if (this.level === this.finest || this.waited < this.patience) return;
    this.trying = true;
    this.to(this.level - 1);
  }

  /** @param {number} level */
  to(level) {
    this.level = level;
    this.waited = 0;
  }
}
