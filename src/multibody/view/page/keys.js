// The keyboard.

/**
 * Let keys move time and switch what is shown.
 * @param {object} page
 */
export function bindKeys(page) {
  const { clock, switches } = page;
  const dialog = (id) => document.getElementById(id);
  const actions = {
    " ": () => (clock.playing ? clock.pause() : clock.play()),
    ArrowLeft: () => clock.step(-1),
    ArrowRight: () => clock.step(1),
    ArrowUp: () => clock.faster(clock.factors.indexOf(clock.speed) + 1),
    ArrowDown: () => clock.faster(clock.factors.indexOf(clock.speed) - 1),
    Home: () => clock.seek(clock.from),
    End: () => clock.seek(clock.to),
    l: () => page.transport.loop.click(),
    f: () => page.stages.fit(),
    "[": () => enlarge(page, 1 / 1.25),
    "]": () => enlarge(page, 1.25),
    i: () => dialog("report").showModal(),
    "?": () => dialog("help").showModal(),
    Escape: () => page.select(-1, 0),
    ...Object.fromEntries(["front", "top", "right", "iso"].map((name, k) => [String(k + 1), () => page.data.dimension === 3 && page.stages.view(name)])),
    ...Object.fromEntries([["n", "names"], ["y", "symbols"], ["g", "ghosts"], ["t", "traces"], ["r", "reaction"], ["o", "load"], ["v", "velocity"], ["d", "dark"], ["c", "side"]].map(([key, name]) => [key, () => switches.flip(name)])),
  };
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches?.("input[type=search], select, textarea");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const action = actions[event.key] ?? actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

/** Make arrows longer. */
function enlarge(page, factor) {
  page.look.enlarged *= factor;
  page.stages.draw();
}
