// Slider, play, steps, speed and loop.

import { icon, make, toggle } from "./dom.js";

export class Transport {
  /**
   * @param {HTMLElement} element
   * @param {object} clock
   */
  constructor(element, clock) {
    this.clock = clock;
    const button = (name, title, click) => make("button.plain", { type: "button", title, "aria-label": title, click }, icon(name));
    this.play = button("play", "play (space)", () => (clock.playing ? clock.pause() : clock.play()));
    this.play.id = "play";
    this.slider = document.getElementById("slider");
    this.slider.addEventListener("input", () => {
      clock.pause();
      clock.seek(Number(this.slider.value));
    });
    this.shown = make("output", { id: "time" });
    this.speed = make("select", { title: "speed against real time (↑ ↓)", "aria-label": "speed", change: () => clock.faster(Number(this.speed.value)) });
    this.speed.append(...clock.factors.map((factor, k) => make("option", { value: k }, `${factor} ×`)));
    this.loop = toggle("loop", "begin again at the end (l)", (on) => (clock.loop = on), clock.loop);
    element.append(
      button("first", "first instant (Home)", () => clock.seek(clock.from)), button("back", "one instant back (←)", () => clock.step(-1)),
      this.play, button("on", "one instant on (→)", () => clock.step(1)), button("last", "last instant (End)", () => clock.seek(clock.to)),
      this.shown, make("span.space"), this.speed, this.loop,
    );
    clock.onstate = () => this.state();
    this.cover();
  }

  /** Take the clock's span of time. */
  cover() {
    const { from, to } = this.clock;
    Object.assign(this.slider, { min: from, max: to, step: "any" });
    this.slider.disabled = !(to > from);
    this.decimals = to > from ? Math.min(12, Math.max(0, Math.ceil(3 - Math.log10(to - from)))) : 3;
    document.body.classList.toggle("still", !(to > from));
    this.state();
    this.at(this.clock.time);
  }

  /** Show whether it plays, and how fast. */
  state() {
    const { playing, factors, speed } = this.clock;
    this.play.replaceChildren(icon(playing ? "pause" : "play"));
    this.play.title = playing ? "pause (space)" : "play (space)";
    this.speed.value = String(factors.indexOf(speed));
  }

  /** @param {number} time */
  at(time) {
    if (document.activeElement !== this.slider || this.clock.playing) this.slider.value = String(time);
    this.shown.textContent = `${time.toFixed(this.decimals).replace("-", "−")} ${this.clock.data.units.time}`;
  }
}
