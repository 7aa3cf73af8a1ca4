// The page: stages, clock, curves and panels put together.

import { inks } from "./common.js";
import { Chooser } from "./chooser.js";
import { Clock } from "./clock.js";
import { Curves } from "./curves.js";
import { decoded } from "./decode.js";
import { make } from "./dom.js";
import { bindKeys } from "./keys.js";
import { Panel } from "./panel.js";
import { fillHelp, fillReport } from "./report.js";
import { Stages } from "./stages.js";
import { Strip } from "./strip.js";
import { Transport } from "./transport.js";
import { Switches } from "./switches.js";

/** Return the element with an id. */
const $ = (id) => document.getElementById(id);

class Page {
  /** @param {object} data unpacked */
  constructor(data) {
    this.data = data;
    const system = matchMedia("(prefers-color-scheme: dark)");
    const wished = data.paper ? data.paper === "dark" : system.matches;
    this.look = {
      names: data.names ?? false, symbols: true, ghosts: false, traces: data.points.some((point) => point.asked), reaction: false,
      load: false, velocity: false, gravity: true, dark: wished, selected: -1, enlarged: 1,
    };
    system.addEventListener("change", () => this.paper(system.matches));
    this.runs = this.groups()[0].runs;
    this.mode = data.mode ?? "one";
    this.clock = new Clock(data);
    this.paper(wished, false);
    this.stages = new Stages($("stages"), data, this.look);
    this.panel = new Panel($("panel"), data);
    this.transport = new Transport($("transport"), this.clock);
    this.switches = new Switches(this);
    this.connect();
    this.arrange(this.runs, this.mode);
    this.stages.draw(this.clock.time);
  }

  /** Return the motions that belong together: all runs, and every freedom, mode or direction by itself. */
  groups() {
    const runs = this.data.runs.map((run, k) => ({ run, k })), found = [];
    const main = runs.filter(({ run }) => run.sort === "run" || run.sort === "pose");
    if (main.length) found.push({ label: main.length > 1 ? "all runs" : main[0].run.label, runs: main.map(({ k }) => k) });
    for (const { run, k } of runs) if (!main.some((item) => item.k === k)) found.push({ label: run.label, runs: [k] });
    return found;
  }

  connect() {
    this.clock.onchange = (time) => this.show(time);
    this.stages.moving = () => this.clock.playing;
    this.stages.onpick = (owner, run) => this.select(owner, run);
    this.panel.onclose = () => this.select(-1, 0);
  }

  /** Make curves and strip: after the first picture, for they can wait. */
  beside() {
    const { data, clock } = this;
    if (!Curves || !Strip) return; // a page without them
    this.curves = new Curves($("curves"), data);
    this.curves.onremove = (path) => this.chooser.toggle(path);
    this.chooser = new Chooser($("chooser"), data);
    this.strip = new Strip($("strip"), data);
    this.curves.onseek = this.strip.onseek = (time) => clock.seek(time);
    this.chooser.onchange = () => this.plot();
    this.panel.onplot = (path) => this.chooser.toggle(path);
    this.cover();
    this.plot();
    this.show(clock.time);
  }

  /** Tell curves and strip which motions are played. */
  cover() {
    const played = this.mode === "one" ? this.runs.slice(0, 1) : this.runs;
    this.curves?.cover(played);
    this.strip?.cover(played);
  }

  /** Draw the chosen curves. */
  plot() {
    const has = (name) => this.data.runs.some((run) => run.paths.some((path) => path.name === name));
    this.curves.show(this.chooser.chosen.filter(has), { x: this.chooser.x || null });
    this.curves.at(this.runs[0], this.clock.time);
  }

  /** Show a time everywhere. */
  show(time) {
    this.stages.draw(time);
    this.transport.at(time);
    this.panel.at(time);
    this.strip?.at(time);
    this.curves?.at(this.runs[0], time);
  }

  /** Choose motions and how they are laid out. */
  arrange(runs, mode) {
    this.runs = runs;
    this.mode = runs.length > 1 ? mode : "one";
    this.clock.cover(this.mode === "one" ? runs.slice(0, 1) : runs);
    this.transport.cover();
    this.cover();
    this.stages.time = this.clock.time;
    this.stages.arrange(this.runs, this.mode);
    this.panel.show(this.look.selected, runs[0]);
    this.show(this.clock.time);
  }

  /** Select what was clicked. */
  select(owner, run) {
    this.look.selected = owner;
    this.panel.show(owner, run);
    this.panel.at(this.clock.time);
    this.stages.draw();
    if (owner >= 0 && !document.body.classList.contains("side")) this.switches.flip("side");
  }

  /** Take light or dark paper. */
  paper(dark, draw = true) {
    this.look.dark = dark;
    for (const [name, color] of Object.entries(inks(dark))) document.documentElement.style.setProperty(`--${name}`, color);
    document.documentElement.style.colorScheme = dark ? "dark" : "light";
    if (!draw) return;
    this.stages.draw();
    this.curves?.paper?.(dark);
    this.strip?.paper?.(dark);
  }
}

/** Small windows that are wider than high begin without curves beside the stage. */
const SMALL = "(max-width: 760px) and (orientation: landscape)";

/** Read the data and begin. */
async function start() {
  const data = await decoded(JSON.parse($("data").textContent));
  const bare = !data.runs.some((run) => run.paths.length); // freedoms and modes have no curves
  if (bare || matchMedia(SMALL).matches) document.body.classList.remove("side");
  const page = new Page(data);
  fillHelp($("help"), data.dimension === 3);
  fillReport($("report"), data);
  bindKeys(page);
  window.page = page;
  performance.mark("first picture");
  document.body.dataset.ready = "stage";
  requestAnimationFrame(() => {
    page.beside();
    document.body.dataset.ready = "all";
    if (data.autoplay) page.clock.play();
  });
}

start().catch((error) => {
  console.error(error);
  document.body.prepend(make("p.accent", { role: "alert" }, `This page cannot be shown here: ${error.message}`));
});
