// The check report, certificate, status and notes, and the help: one click away.

import { number } from "./common.js";
import { make } from "./dom.js";

/** Keys and what they do. */
export const KEYS = [
  ["space", "play and pause"], ["← →", "one instant back or on"], ["Home End", "first and last instant"], ["↑ ↓", "faster, slower"],
  ["l", "loop"], ["f", "fit"], ["n", "names"], ["y", "joint symbols"], ["g", "ghosts"], ["t", "traces"], ["r", "reactions"],
  ["o", "loads"], ["v", "velocities"], ["[ ]", "shorter, longer arrows"], ["1 2 3 4", "views from the front, top, right, corner"],
  ["c", "curves"], ["d", "dark or light"], ["i", "report"], ["?", "this help"], ["Esc", "close"],
];

const WORDS = {
  position_violation: "largest violation of positions",
  velocity_violation: "largest violation of velocities",
  energy_drift: "energy balance",
  smallest_singular_value: "smallest singular value",
  reaction_balance: "balance of the reactions",
};

/**
 * Fill the dialog of the report.
 * @param {HTMLDialogElement} dialog
 * @param {object} data
 */
export function fillReport(dialog, data) {
  const parts = [heading(dialog, data.title)];
  for (const run of data.runs.filter((item) => item.status !== undefined)) {
    const said = run.sort === "freedom" || run.sort === "mode"; // their status begins with their name
    if (data.runs.length > 1 && !said) parts.push(make("h3", {}, run.label));
    const status = run.partial ? `partial: ${run.status}` : run.status;
    parts.push(make(run.partial ? "p.accent" : "p", {}, run.advice ? `${status}; ${run.advice}` : status));
    parts.push(certificate(run.certificate ?? {}));
    if (run.singularities.length) parts.push(list("singular positions", run.singularities, (s) => `t = ${number(s.time)} ${data.units.time}, ${s.kind}: ${s.reason}`));
    if (run.events.length) parts.push(list("events", run.events, (e) => `t = ${number(e.time)} ${data.units.time}: ${e.name}`));
    if (run.notes.length) parts.push(list("notes", run.notes, (note) => note));
    const { of, shown } = run.instants ?? { of: 0, shown: 0 };
    if (shown < of) parts.push(make("p.soft", {}, `The page holds ${shown} of ${of} instants.`));
    if (run.missing) parts.push(make("p.soft", {}, run.missing));
  }
  if (data.check) parts.push(make("pre", {}, data.check));
  parts.push(make("p.soft", {}, `multibody ${data.version}`));
  dialog.replaceChildren(...parts);
}

/**
 * Fill the dialog of the help.
 * @param {HTMLDialogElement} dialog
 * @param {boolean} spatial
 */
export function fillHelp(dialog, spatial) {
  const rows = KEYS.filter(([, words]) => spatial || !words.startsWith("views"));
  const table = make("table", {}, ...rows.map(([key, words]) => make("tr", {}, make("td", {}, make("kbd", {}, key)), make("td", {}, words))));
  const pointer = spatial ? "Drag turns, drag with shift or the right button moves, the wheel zooms." : "Drag moves, the wheel zooms.";
  dialog.replaceChildren(heading(dialog, "Keys"), table, make("p.soft", {}, `${pointer} A click on a joint or a body tells about it.`));
}

/** Return the head of a dialog with its button to close it. */
function heading(dialog, text) {
  const close = make("button.plain", { type: "button", title: "close (Escape)", click: () => dialog.close() }, "×");
  return make("div.head", {}, make("b", {}, text), close);
}

/** Return the certificate as a table. */
function certificate(found) {
  const rows = Object.entries(found).filter(([, value]) => typeof value === "number");
  return make("table", {}, ...rows.map(([key, value]) => make("tr", {}, make("td", {}, WORDS[key] ?? key.replaceAll("_", " ")), make("td.number", {}, number(value, 3)))));
}

/** Return a titled list. */
function list(title, items, words) {
  const shown = items.slice(0, 12).map((item) => make("li", {}, words(item)));
  if (items.length > 12) shown.push(make("li", {}, `and ${items.length - 12} more`));
  return make("div", {}, make("h4", {}, title), make("ul", {}, ...shown));
}
