// The run in words: what went wrong or was left out, figures, options, the scene.
import { element, megabytes, number } from './text.js';

const STATUS_WORDS = { converged: 'every step met its tolerances', iteration_limit: 'stopped by the limit of iterations',
  time_limit: 'stopped by the limit of time', stagnated: 'the solver could not go on', infeasible: 'a problem has no solution',
  numerical_failure: 'a state is not finite: the run ended there', not_run: 'nothing was computed' };

const plural = (n, word) => `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`;
const ordinal = (n) => `${n}${n % 100 > 10 && n % 100 < 14 ? 'th' : ['th', 'st', 'nd', 'rd'][n % 10] ?? 'th'}`;

function outcome(head) {
  const { summary, options } = head;
  if (!summary) {
    return [['warn', head.live ? 'The run is going on, or was broken off: there is no summary.json yet.'
      : 'No summary.json: the run was going on or was broken off when this report was made.']];
  }
  const lines = [];
  if (summary.status === 'converged') {
    lines.push(['good', `${plural(summary.steps, 'step')} to t = ${number(summary.time)} s; ${STATUS_WORDS.converged}.`]);
  } else {
    lines.push(['bad', `${summary.status.replaceAll('_', ' ')}: ${STATUS_WORDS[summary.status] ?? ''}. ${plural(summary.failed_steps, 'step')} of ${summary.steps.toLocaleString('en')} missed a tolerance.`]);
  }
  const worst = Math.max(summary.max_residual_scaled ?? 0, summary.max_velocity_error ?? 0);
  if (!summary.near_misses && options?.solver_tolerance && worst > options.solver_tolerance * 1.0001)
    lines.push(['warn', `Largest error of a contact problem ${number(worst, 3)}, above the tolerance ${number(options.solver_tolerance, 3)}.`]);
  for (const remark of summary.remarks ?? []) lines.push(['warn', remark]);
  if (summary.failure) lines.push(['bad', summary.failure]);
  if (summary.adaptive?.forced) lines.push(['warn', `${plural(summary.adaptive.forced, 'pair')} of steps kept at the shortest step though not within the tolerances.`]);
  return lines;
}

// Exported for the badge.
export function outcomeOf(head) { return head.summary ? head.summary.status : 'going on'; }

function leftOut(run) {
  const { head } = run, lines = [];
  if (head.curves.merged > 1)
    lines.push(['info', `Curves: ${head.curves.points.toLocaleString('en')} points of ${head.curves.merged} rows each. A point shows the first of its rows, of residuals, iterations and impulses the largest, of gaps the smallest.`]);
  if (!run.isWorld) return lines;
  if (head.joints_without_curves)
    lines.push(['info', `Joints: there are ${head.joints.toLocaleString('en')}, so their coordinates and reactions are not plotted; clack report --coordinates plots those that it names.`]);
  if (!run.live && head.frames.stride > 1)
    lines.push(['info', `Bodies are shown at every ${ordinal(head.frames.stride)} of ${head.rows.toLocaleString('en')} rows (${head.frames.rows.length.toLocaleString('en')} frames), to keep to ${megabytes(head.limit)}; clack report --max-size takes more.`]);
  if (!run.live && head.contact_frames.stride > 1)
    lines.push(['info', `Contacts are held for every ${ordinal(head.contact_frames.stride)} frame (${head.contact_frames.count.toLocaleString('en')} in all); in between the last ones are shown.`]);
  return lines;
}

export function warnings(run, place) {
  const lines = [...outcome(run.head), ...leftOut(run)];
  place.replaceChildren(...lines.map(([kind, text]) => element('p', { class: `word ${kind}` }, text)));
}

function table(rows) {
  return element('table', {}, element('tbody', {}, ...rows.filter((r) => r[1] !== undefined && r[1] !== null && r[1] !== '')
    .map(([name, value]) => element('tr', {}, element('th', { scope: 'row' }, name), element('td', {}, value)))));
}

function figures(run) {
  const { head } = run, s = head.summary ?? {}, o = head.options ?? {};
  const rows = [['scene', s.scene], ['program', `clack ${head.version}`], ['scheme', o.scheme],
    ['step', o.step && `${number(o.step)} s`], ['solver', o.solver && `${o.solver}, tolerance ${number(o.solver_tolerance)}`],
    ['bodies', run.isWorld ? head.bodies.toLocaleString('en') : null],
    ['joints', head.joints ? head.joints.toLocaleString('en') : null],
    ['steps', s.steps?.toLocaleString('en')], ['steps that missed a tolerance', s.failed_steps?.toLocaleString('en')],
    ['near misses', s.near_misses ? s.near_misses.toLocaleString('en') : null],
    ['largest drift of a joint or link', s.drift ? `${number(s.drift.largest, 3)} m (${s.drift.link})` : null],
    ['time reached', s.time === undefined ? null : `${number(s.time)} s`],
    ['largest residual', s.max_residual === undefined ? null : `${number(s.max_residual, 3)}, scaled ${number(s.max_residual_scaled, 3)}`],
    ['largest velocity error', s.max_velocity_error === undefined ? null : number(s.max_velocity_error, 3)],
    ['smallest gap', s.min_gap === undefined || s.min_gap === null ? null : `${number(s.min_gap, 3)} m${s.min_gap < 0 ? ' (penetration)' : ''}`],
    ['energy error of a step', s.energy_error === undefined ? null : number(s.energy_error, 3)],
    ['most contacts in a step', s.contacts_max?.toLocaleString('en')],
    ['computing time', s.seconds === undefined ? null : `${number(s.seconds, 3)} s`],
    ['rows of the results', `${head.rows.toLocaleString('en')}${o.output_every > 1 ? `, one every ${o.output_every} steps` : ''}`]];
  for (const [name, value] of Object.entries(s.measures ?? {})) rows.push([name, value === null ? 'not to be had' : number(value, 6)]);
  for (const [name, count] of Object.entries(s.impacts ?? {})) rows.push([`contact '${name}' closed`, count === 1 ? 'once' : `${count} times`]);
  rows.push(['events', eventWords(head)]);
  return rows;
}

function eventWords(head) {
  const counts = Object.entries(head.events?.counts ?? {});
  if (counts.length) return counts.map(([kind, count]) => `${count.toLocaleString('en')} ${kind}`).join(', ');
  return head.options?.output_events === 'none' ? 'not recorded (output.events: none)' : null;
}

function page(run) {
  const { head } = run, rows = [];
  if (!run.live) rows.push(['size of this page', `${megabytes(head.bytes)} of at most ${megabytes(head.limit)}`]);
  if (run.isWorld) {
    rows.push(['positions', `drawn to within ${number(head.position_step / 2, 2)} m, a two-thousandth of the smallest body's radius`]);
    rows.push(['rotations', 'drawn to within 3e-5 rad']);
    rows.push(['velocities and forces', 'to within 1/30 000 of the largest in a block of frames, of a row']);
  }
  rows.push(['curves', '7 digits; coordinates and energies in full']);
  return rows;
}

function flat(object, prefix = '') {
  return Object.entries(object ?? {}).flatMap(([key, value]) => {
    if (value && typeof value === 'object' && !Array.isArray(value)) return flat(value, `${prefix}${key}.`);
    if (value === null || (Array.isArray(value) && !value.length)) return [];
    return [[prefix + key, Array.isArray(value) ? value.join(', ') : typeof value === 'number' ? number(value, 8) : String(value)]];
  });
}

export function summary(run, place) {
  const open = new Set([...place.querySelectorAll('details[open]')].map((d) => d.dataset.name));
  const fold = (name, content) => {
    const node = element('details', {}, element('summary', {}, name), content);
    node.dataset.name = name;
    node.open = open.has(name);
    return node;
  };
  place.replaceChildren(
    element('h2', {}, 'Summary'), table(figures(run)),
    element('h2', {}, 'This page'), table(page(run)),
    fold('Options', table(flat(run.head.options))),
    fold('Scene', element('pre', {}, run.head.scene || '(none)')),
    element('p', { class: 'note' }, run.head.units));
}
