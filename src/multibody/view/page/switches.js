// What is shown and how: names, symbols, ghosts, traces, arrows, paper, and which motions.

import { make, toggle } from "./dom.js";

/** Name, label and what a resting pointer is told. */
const SWITCHES = [
  ["names", "names", "names of bodies and joints (n)"],
  ["symbols", "symbols", "symbols of joints (y)"],
  ["ghosts", "ghosts", "other poses of the motion (g)"],
  ["traces", "traces", "paths of points (t)"],
  ["reaction", "reactions", "forces of joints on their second bodies (r)"],
  ["load", "loads", "forces of springs, dampers and loads (o)"],
  ["velocity", "velocities", "velocities of centers of mass (v)"],
];

export class Switches {
  /** @param {object} page */
  constructor(page) {
    this.page = page;
    const { look, data } = page;
    this.buttons = {};
    const bar = document.getElementById("switches");
    for (const [name, label, title] of SWITCHES) {
      if (!this.offered(name)) continue;
      this.buttons[name] = toggle(label, title, (on) => {
        look[name] = on;
        page.stages.draw();
      }, look[name]);
      bar.append(this.buttons[name]);
    }
    if (data.dimension === 3) bar.append(this.views());
    const head = document.getElementById("tools");
    head.append(...this.motions());
    this.buttons.side = toggle("curves", "curves and numbers (c)", (on) => {
      document.body.classList.toggle("side", on);
      page.stages.resize();
    }, document.body.classList.contains("side"));
    this.buttons.dark = toggle("dark", "dark or light (d)", (on) => page.paper(on), look.dark);
    const open = (id) => () => document.getElementById(id).showModal();
    head.append(
      make("button.plain", { type: "button", title: "check report, certificate and notes (i)", id: "open-report", click: open("report") }, "report"),
      this.buttons.side, this.buttons.dark,
      make("button.plain", { type: "button", title: "keys (?)", id: "open-help", click: open("help") }, "?"),
    );
  }

  /** Return whether there is anything to switch. */
  offered(name) {
    const { data } = this.page;
    if (["reaction", "load", "velocity"].includes(name)) return data.runs.some((run) => run.arrows.some((arrow) => arrow.sort === name));
    if (name === "ghosts") return data.runs.some((run) => run.time.length > 1);
    if (name === "traces") return data.runs.some((run) => run.time.length > 1) && data.points.length > 0;
    return true;
  }

  /** Flip a switch by its name. */
  flip(name) {
    this.buttons[name]?.click();
  }

  /** Return the choice of a standard view. */
  views() {
    const names = { iso: "corner", front: "front", top: "top", right: "right" };
    const select = make("select", { title: "view from (1 2 3 4)", "aria-label": "view from" });
    select.append(...Object.entries(names).map(([value, label]) => make("option", { value }, label)));
    select.addEventListener("change", () => this.page.stages.view(select.value));
    return select;
  }

  /** Return the choice of motions, and of their layout where there are several. */
  motions() {
    const { page } = this, groups = page.groups(), made = [];
    if (groups.length > 1) {
      const select = make("select", { title: "motion", "aria-label": "motion", id: "motion" });
      select.append(...groups.map((group, k) => make("option", { value: k }, group.label)));
      select.addEventListener("change", () => {
        page.arrange(groups[Number(select.value)].runs, page.mode);
        page.clock.seek(page.clock.from);
        page.clock.play();
      });
      made.push(select);
    }
    if (groups[0].runs.length > 1) {
      const select = make("select", { title: "how several runs are shown", "aria-label": "layout", id: "layout" });
      select.append(...[["beside", "side by side"], ["over", "laid over"], ...groups[0].runs.map((k) => [`run ${k}`, page.data.runs[k].label])].map(([value, label]) => make("option", { value }, label)));
      select.value = page.data.mode ?? "beside";
      select.addEventListener("change", () => {
        const one = select.value.startsWith("run ") ? [Number(select.value.slice(4))] : null;
        page.arrange(one ?? groups[0].runs, one ? "one" : select.value);
      });
      made.push(select);
    }
    return made;
  }
}
