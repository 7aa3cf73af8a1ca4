// What a click on a body, joint or force tells: its coordinates, rates and reaction at the time shown.

import { noiseOf, number, valueAt } from "./common.js";
import { make } from "./dom.js";

const AXES = ["x", "y", "z"];

export class Panel {
  /**
   * @param {HTMLElement} element
   * @param {object} data
   */
  constructor(element, data) {
    this.element = element;
    this.data = data;
    this.rows = [];
    this.owner = -1;
    this.run = 0;
    this.noise = data.runs.map((one) => noiseOf(data, one));
    /** @type {(path: string) => void} called when a row is asked to be a curve */
    this.onplot = () => {};
  }

  /**
   * Show what an owner is; -1 closes the panel.
   * @param {number} owner
   * @param {number} run
   */
  show(owner, run) {
    this.owner = owner;
    this.run = run;
    this.rows = [];
    this.element.replaceChildren();
    this.element.hidden = owner < 0;
    if (owner < 0) return;
    const { sort, name } = this.data.drawing.owners[owner];
    if (sort === "joint") this.joint(name);
    else if (sort === "force") this.force(name);
    else this.body(name);
  }

  /**
   * Bring the numbers to a time.
   * @param {number} time
   */
  at(time) {
    for (const row of this.rows) row(time);
  }

  /** Write the head line. */
  head(name, words) {
    const close = make("button.plain", { type: "button", title: "close (Escape)", click: () => this.onclose?.() }, "×");
    this.element.append(make("div.head", {}, make("b", {}, name), make("span.soft", {}, words), close));
    this.table = make("table");
    this.element.append(this.table);
  }

  /** Write a joint's panel. */
  joint(name) {
    const joint = this.data.joints.find((item) => item.name === name);
    const bodies = joint.bodies.map((b) => this.data.bodies[b].name).join(" – ");
    this.head(name, `${joint.kind}${bodies ? `, ${bodies}` : ""}`);
    for (const path of joint.coordinates) {
      this.path(path.slice(name.length + 1), path);
      this.path("rate", `${path}.rate`);
      this.path("effort", `${path}.effort`);
    }
    this.path("effort", `${name}.effort`);
    const about = this.data.runs[this.run].reactions?.[name];
    if (!about) return;
    this.section(`reaction on ${about.on} at ${about.point}`);
    this.vector("force", `${name}.reaction.force`, about.force);
    if (this.data.dimension === 2) this.path("moment", `${name}.reaction.moment`, about.moment[0]);
    else this.vector("moment", `${name}.reaction.moment`, about.moment);
    this.element.append(make("p.soft", {}, uniqueness(about, this.data.dimension)));
  }

  /** Write a body's panel. */
  body(name) {
    this.head(name, name === "ground" ? "the ground" : "body");
    if (name === "ground") return;
    const axes = AXES.slice(0, this.data.dimension);
    this.section("center of mass");
    for (const axis of axes) this.path(axis, `${name}.${axis}`);
    if (this.data.dimension === 2) this.path("angle", `${name}.angle`);
    this.section("velocity");
    for (const axis of axes) this.path(axis, `${name}.${axis}.rate`);
    if (this.data.dimension === 2) this.path("angle", `${name}.angle.rate`);
  }

  /** Write a force's panel. */
  force(name) {
    const force = this.data.forces.find((item) => item.name === name);
    this.head(name, force.kind);
    this.path("effort", `${name}.effort`);
    const owner = this.owner;
    for (const arrow of this.data.runs[this.run].arrows.filter((a) => a.owner === owner)) {
      this.section(`force on ${this.data.bodies[arrow.body].name}`);
      const d = this.data.dimension, times = this.data.runs[this.run].time;
      for (let k = 0; k < d; k++) {
        const column = Float64Array.from({ length: times.length }, (_, i) => arrow.vector[i * d + k]);
        this.row(AXES[k], (time) => valueAt(times, column, time), arrow.unit);
      }
    }
  }

  /** Write a heading between rows. */
  section(text) {
    this.table.append(make("tr", {}, make("th", { colspan: 3 }, text)));
  }

  /** Write components and size of a vector. */
  vector(label, path, unique) {
    const run = this.data.runs[this.run];
    const columns = AXES.slice(0, this.data.dimension).map((axis) => run.paths.find((p) => p.name === `${path}.${axis}`));
    if (columns.some((column) => !column)) return;
    columns.forEach((column, k) => this.path(`${label} ${AXES[k]}`, column.name, unique[k]));
    const size = (time) => Math.hypot(...columns.map((column) => valueAt(run.time, column.values, time)));
    this.row(`|${label}|`, size, columns[0].unit, "", unique.every(Boolean));
  }

  /** Write a path of the run, where the page has it. */
  path(label, name, unique = true) {
    const run = this.data.runs[this.run], path = run.paths.find((p) => p.name === name);
    if (path) this.row(label, (time) => valueAt(run.time, path.values, time), path.unit, path.name, unique);
  }

  /** Write a row that follows the time. */
  row(label, value, unit, path = "", unique = true) {
    const cell = make("td.number", { "data-path": path });
    const named = path ? make("button.plain", { type: "button", title: `curve of ${path}`, click: () => this.onplot(path) }, label) : label;
    this.table.append(make(unique ? "tr" : "tr.shared", {}, make("td", {}, named), cell, make("td.soft", {}, unit)));
    const noise = this.noise[this.run].get(unit) ?? 0;
    this.rows.push((time) => {
      const now = value(time);
      cell.textContent = number(Math.abs(now) <= noise ? 0 : now);
    });
  }
}

/** Say whether a reaction is unique. */
function uniqueness(about, dimension) {
  const shared = [];
  about.force.forEach((unique, k) => unique || shared.push(`force ${AXES[k]}`));
  about.moment.forEach((unique, k) => unique || shared.push(dimension === 2 ? "moment" : `moment ${AXES[k]}`));
  if (!shared.length) return "Unique: the motion and the loads determine it.";
  return `Not unique: ${shared.join(", ")}. Redundant constraints share the load; the smallest solution is shown.`;
}
