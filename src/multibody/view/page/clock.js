// The time that the page shows: played, stepped or set.

/** Seconds in a model's unit of time. */
const SECONDS = { s: 1, ms: 1e-3, us: 1e-6, min: 60, h: 3600 };

/** Factors of real time that can be chosen. */
const FACTORS = [1e-6, 1e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1e3, 1e4];

/** Seconds that a motion should take on the screen, at least and at most. */
const SHORTEST = 4, LONGEST = 60;

/** Turns a second that an eye still follows. */
const TURNS = 0.8;

export class Clock {
  /**
   * @param {object} data the page's data
   */
  constructor(data) {
    this.data = data;
    this.factors = FACTORS;
    this.loop = true;
    this.playing = false;
    /** @type {(time: number) => void} called when the time has changed */
    this.onchange = () => {};
    /** @type {() => void} called when it is started, stopped or made faster */
    this.onstate = () => {};
    this.cover(data.runs.map((_, k) => k));
  }

  /**
   * Take the span of time of some motions, and a speed at which they can be watched.
   * @param {number[]} runs
   */
  cover(runs) {
    const chosen = runs.map((k) => this.data.runs[k]);
    this.runs = chosen;
    this.from = Math.min(...chosen.map((run) => run.time[0]));
    this.to = Math.max(...chosen.map((run) => run.time[run.time.length - 1]));
    this.unit = SECONDS[this.data.units.time] ?? 1;
    this.speed = this.natural();
    this.time = Math.min(Math.max(this.time ?? this.from, this.from), this.to);
  }

  /** Return the factor of real time at which turning parts can be followed and the motion has a fitting length. */
  natural() {
    const seconds = (this.to - this.from) * this.unit;
    if (!(seconds > 0)) return 1;
    const turns = Math.max(...this.runs.map((run) => turned(run, this.data.dimension)));
    const wanted = Math.min(Math.max(turns / TURNS, SHORTEST), LONGEST), exact = seconds / wanted;
    if (seconds >= SHORTEST && seconds <= 2 * LONGEST && exact > 0.4 && exact < 8) return 1;
    const below = FACTORS.filter((x) => x <= exact * 1.3);
    return below.length ? below[below.length - 1] : FACTORS[0];
  }

  /** @param {number} time */
  seek(time) {
    this.time = Math.min(Math.max(time, this.from), this.to);
    this.onchange(this.time);
  }

  /** @param {number} count instants forward, or backward where negative */
  step(count) {
    this.pause();
    const times = this.runs[0].time, last = times.length - 1;
    const tiny = 1e-9 * (this.to - this.from);
    let k = 0;
    while (k < last && times[k + 1] <= this.time + tiny) k++;
    if (count < 0 && times[k] < this.time - tiny) k++;
    this.seek(times[Math.min(last, Math.max(0, k + count))]);
  }

  play() {
    if (this.playing || !(this.to > this.from)) return;
    if (this.time >= this.to) this.time = this.from;
    this.playing = true;
    this.before = null;
    this.onstate();
    this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    cancelAnimationFrame(this.frame);
    this.onstate();
  }

  /** @param {number} index of FACTORS, or beyond its ends */
  faster(index) {
    this.speed = FACTORS[Math.min(FACTORS.length - 1, Math.max(0, index))];
    this.onstate();
  }

  /** Go on by the time that has passed on the screen. */
  tick(now) {
    if (!this.playing) return;
    const passed = this.before === null ? 0 : Math.min((now - this.before) / 1000, 0.25);
    this.before = now;
    let time = this.time + (passed * this.speed) / this.unit;
    if (time >= this.to) {
      if (this.loop) time = this.from + ((time - this.from) % (this.to - this.from || 1));
      else time = this.to;
    }
    this.seek(time);
    if (!this.loop && time >= this.to) this.pause();
    else this.frame = requestAnimationFrame((later) => this.tick(later));
  }
}

/**
 * Return the turns that the quickest body of a motion makes.
 * @param {object} run
 * @param {number} dimension
 * @returns {number}
 */
function turned(run, dimension) {
  const width = dimension === 2 ? 3 : 7, count = run.time.length, row = run.poses.length / count;
  const step = Math.max(1, Math.floor(count / 400));
  let most = 0;
  for (let body = 0; body < row; body += width) {
    let sum = 0;
    for (let k = step; k < count; k += step) {
      const a = (k - step) * row + body, b = k * row + body;
      if (dimension === 2) sum += Math.abs(run.poses[b + 2] - run.poses[a + 2]);
      else {
        let dot = 0;
        for (let i = 3; i < 7; i++) dot += run.poses[a + i] * run.poses[b + i];
        sum += 2 * Math.acos(Math.min(1, Math.abs(dot)));
      }
    }
    most = Math.max(most, sum / (2 * Math.PI));
  }
  return most;
}
