// Which plots a run gets, and what is in them.
import { Phase } from './phase.js';
import { Plot, lines, stripPlot } from './plots.js';
import { okabeIto, statusColours } from './colours.js';
import { EventList, drawMarks, eventsOf } from './events.js';
import { element, number } from './text.js';

const AXES = ['x', 'y', 'z'];
const FEW_LINES = 8, TOGETHER = 6; // of joints in a plot; of more that many at once
const ENERGY_WORDS = { kinetic: 'kinetic', potential: 'potential, above its least', work_damping: 'spent in damping',
  work_impact: 'spent in impacts', work_friction: 'spent in friction', work_bond: 'spent in bonds' };
const ENERGY_COLOURS = { kinetic: okabeIto.sky, potential: okabeIto.green, work_damping: okabeIto.purple,
  work_impact: okabeIto.orange, work_friction: okabeIto.vermillion, work_bond: okabeIto.blue };

const some = (values) => values.some((v) => Number.isFinite(v) && v !== 0);
const known = (values) => values.some((v) => Number.isFinite(v));

// Where the energy is: kinetic and potential energy and what was spent, one above the other. Their
// sum is what was there at the start and put in since, by the balance of the ledger.
function energySeries(run) {
  const get = (name) => run.curve('energy', name);
  const potential = get('potential');
  let least = Infinity;
  for (const v of potential) if (v < least) least = v;
  if (!Number.isFinite(least)) least = 0;
  const series = [];
  const start = get('kinetic')[0] + potential[0] - least;
  const put = get('numerical').map((v, i) => start + v + get('work_external')[i] + get('work_contact')[i]);
  for (const name of Object.keys(ENERGY_WORDS)) {
    const values = get(name);
    if (!values) continue;
    if (name.startsWith('work') && values.at(-1) > 0) { // not spent, but gained: bonds that pull
      values.forEach((v, i) => { put[i] += v; });
      continue;
    }
    const sign = name.startsWith('work') ? -1 : 1, shift = name === 'potential' ? least : 0;
    const drawn = values.map((v) => sign * (v - shift));
    if (name === 'kinetic' || some(drawn)) series.push({ label: ENERGY_WORDS[name], unit: 'J', values: drawn, colour: ENERGY_COLOURS[name] });
  }
  series.push({ label: 'at the start and put in since', unit: 'J', line: true, colour: okabeIto.grey, dash: [5, 3], values: put });
  return series;
}

function phasePairs(run) {
  const q = run.group('q'), v = run.group('v');
  const pairs = q.map((c, i) => v[i] && { label: c.name, x: c, y: v[i] }).filter(Boolean);
  const named = (c) => ({ name: `${c.name} [${c.unit}]`, values: c.values }), rates = run.group('joint_rate');
  return [...pairs, ...run.group('joint').map((c, i) => ({ label: c.name, x: named(c), y: named(rates[i]) }))];
}

function contactSeries(run) {
  return run.group('contacts').map((c, k) => ({ label: c.name, values: c.values, colour: statusColours[k + 1] })).filter((s) => some(s.values));
}

function solverLines(run) {
  return [{ label: 'residual', values: run.curve('solver', 'residual'), colour: okabeIto.blue },
    { label: 'scaled residual', values: run.curve('solver', 'residual_scaled'), colour: okabeIto.orange, dash: [5, 3] },
    { label: 'velocity error', values: run.curve('solver', 'velocity_error'), colour: okabeIto.green }]
    .filter((line) => line.values);  // results of older programs have no velocity error
}

const largest = (values) => values.reduce((most, v) => (Math.abs(v) > most ? Math.abs(v) : most), 0);

// A card in which one of many quantities is chosen, or the largest of them together.
class Chooser {
  constructor(title, player, run, group, preferred, together = 0) {
    this.run = run;
    this.columns = typeof group === 'function' ? group : () => run.group(group);
    this.together = together;
    const names = this.columns().filter((c) => known(c.values)).map((c) => c.name);
    if (together && names.length) names.unshift(preferred);
    this.select = element('select', { ariaLabel: title }, ...names.map((n) => element('option', { value: n }, n.replaceAll('_', ' '))));
    if (names.includes(preferred)) this.select.value = preferred;
    this.plot = new Plot(title, player, run.time, this.series(), {});
    this.plot.title.after(this.select);
    this.select.onchange = () => { this.plot.series = this.series(); this.plot.makeLegend(); this.plot.rebuild(); };
    this.card = this.plot.card;
    this.empty = !names.length;
  }
  series() {
    const all = this.columns();
    if (this.together && this.select.selectedIndex === 0) {
      const order = all.map((c, i) => [largest(c.values), i]).sort((a, b) => b[0] - a[0]).slice(0, this.together);
      return lines(order.map(([, i]) => i).sort((a, b) => a - b).map((i) => all[i]));
    }
    const c = all.find((x) => x.name === this.select.value);
    return c ? lines([c]) : [];
  }
  rebuild() { this.plot.rebuild(); }
  moveCursor() { this.plot.moveCursor(); }
  refresh() { // the largest may be others by now
    this.plot.time = this.run.time;
    this.plot.series = this.series();
    this.plot.makeLegend();
    this.plot.rebuild();
  }
}

export class Panels {
  constructor(run, player, place) {
    this.run = run;
    this.player = player;
    this.place = place;
    this.plots = [];
    this.pickedCards = [];
    this.make();
    place.append(...this.plots.map((p) => p.card));
    this.rebuild();
    new ResizeObserver(() => this.rebuildIfWider()).observe(place);
  }

  // make: () => series, called anew when the run has gone on.
  add(title, make, options = {}) {
    const series = make();
    if (!series.length) return null;
    const marks = (u) => drawMarks(u, eventsOf(this.run));
    const plot = new Plot(title, this.player, this.run.time, series, { draw: marks, ...options });
    plot.refresh = () => {
      const fresh = make();
      if (fresh.length === plot.series.length) plot.setData(this.run.time, fresh.map((s) => s.values));
      else { plot.time = this.run.time; plot.series = fresh; plot.makeLegend(); plot.rebuild(); }
    };
    this.plots.push(plot);
    return plot;
  }

  make() {
    const { run, player } = this;
    this.add('Coordinates', () => lines(run.group('q')));
    this.add('Velocities', () => lines(run.group('v')));
    this.addJoints();
    if (phasePairs(run).length) {
      const phase = new Phase('Phase portrait', player, run.time, phasePairs(run));
      phase.refresh = () => phase.setData(run.time, phasePairs(run));
      this.plots.push(phase);
    }
    this.add('Energy', () => energySeries(run), { stacked: true, height: 200, note: 'Areas stand on each other. Where the dashed line is their upper edge, the balance closes.' });
    const strips = run.group('contact_status');
    if (strips.length) {
      const plot = stripPlot('Contacts', player, run.time, strips, () => eventsOf(run));
      plot.refresh = () => plot.setData(run.time, run.group('contact_status').map((c) => c.values));
      this.plots.push(plot);
      this.add('Gaps of contacts that take part', () => lines(run.group('contact_gap')).filter((s) => known(s.values)));
      this.add('Normal impulse of a step', () => lines(run.group('contact_r')).filter((s) => some(s.values)));
    }
    if (!strips.length || run.isWorld) {
      this.add(strips.length ? 'Number of contacts' : 'Contacts', () => contactSeries(run), { stacked: true, step: true });
      this.add('Smallest gap', () => run.group('gap').filter((c) => known(c.values)).map((c) => ({ label: c.name, unit: 'm', values: c.values, colour: okabeIto.blue })));
      this.add('Largest normal impulse of a step', () => run.group('force').filter((c) => some(c.values)).map((c) => ({ label: 'over all contacts', unit: 'N s', values: c.values, colour: okabeIto.vermillion })));
    }
    if (run.head.events?.total) this.plots.push(new EventList(run, player));
    for (const measure of run.group('measures')) {
      if (!known(measure.values)) continue;
      this.add(`Measure ‘${measure.name}’`, () => [{ label: 'value', values: run.curve('measures', measure.name), colour: okabeIto.blue }],
        { note: 'Its formula over time; what was taken from it stands in the summary.' });
    }
    const sample = new Chooser('Sample', player, run, 'sample', 'coordination');
    if (!sample.empty) this.plots.push(sample);
    this.addSolver();
  }

  // A unit an axis; of many joints the largest, or one that is chosen.
  addJoints() {
    const add = (title, group, unit) => {
      const columns = () => this.run.group(group).filter((c) => c.unit === unit && known(c.values) && (!group.startsWith('drive') || some(c.values)));
      const count = columns().length;
      if (!group.startsWith('joint') && !columns().some((c) => some(c.values))) return;
      if (count <= FEW_LINES) this.add(title, () => lines(columns()));
      else this.plots.push(new Chooser(title, this.player, this.run, columns, `the ${TOGETHER} largest of ${count}`, TOGETHER));
    };
    add('Joints: angles', 'joint', 'rad');
    add('Joints: displacements', 'joint', 'm');
    add('Joints: rates of angles', 'joint_rate', 'rad/s');
    add('Joints: rates of displacements', 'joint_rate', 'm/s');
    add('Joints: forces of reaction', 'reaction_force', 'N');
    add('Joints: moments of reaction', 'reaction_moment', 'N m');
    add('Joints: power of drives', 'drive_power', 'W');
    add('Joints: work of drives', 'drive_work', 'J');
  }

  addSolver() {
    const { run } = this, tolerance = run.head.options?.solver_tolerance;
    const residual = () => {
      const series = solverLines(run);
      if (tolerance) series.push({ label: 'tolerance', values: run.time.map(() => tolerance), colour: okabeIto.grey, dash: [2, 3] });
      return series;
    };
    const positive = solverLines(run).some((s) => some(s.values));
    if (positive) this.add('Residual of the contact problem', residual, { log: true, note: 'Logarithmic; a residual of zero is not drawn.' });
    else this.plots.push(emptyCard('Residual of the contact problem', 'Zero in all rows.'));
    this.add('Iterations of the solver', () => [{ label: 'iterations', values: run.curve('solver', 'iterations'), colour: okabeIto.green, show: (v) => number(v) }].filter((s) => some(s.values)), { step: true });
  }

  // Position and velocity of a body that was picked, before the others.
  async showBody(body, names) {
    for (const plot of this.pickedCards) { plot.card.remove(); this.plots.splice(this.plots.indexOf(plot), 1); }
    this.pickedCards = [];
    if (body < 0) return;
    const asked = this.asked = Symbol('asked');
    const make = async () => (await this.run.history([body]))[0];
    const history = await make();
    if (asked !== this.asked) return;
    const axes = this.run.head.dimension === 2 ? [0, 1] : [0, 1, 2];
    const series = (h, key, unit) => axes.map((k) => ({ label: key === 'x' ? AXES[k] : `v${AXES[k]}`, unit, values: h[key][k] }));
    const pairs = (h) => axes.map((k) => ({ label: AXES[k], x: { name: `${AXES[k]} [m]`, values: h.x[k] }, y: { name: `v${AXES[k]} [m/s]`, values: h.v[k] } }));
    const times = () => this.run.frameTimes;
    const position = new Plot(`${names}: position`, this.player, times(), lines(series(history, 'x', 'm')));
    const velocity = new Plot(`${names}: velocity`, this.player, times(), lines(series(history, 'v', 'm/s')));
    const phase = new Phase(`${names}: phase portrait`, this.player, times(), pairs(history));
    phase.select.value = phase.chosen = axes.length - 1;
    position.refresh = async () => {
      const h = await make();
      position.setData(times(), axes.map((k) => h.x[k]));
      velocity.setData(times(), axes.map((k) => h.v[k]));
      phase.setData(times(), pairs(h));
    };
    this.pickedCards = [position, velocity, phase];
    this.plots.unshift(...this.pickedCards);
    this.place.prepend(...this.pickedCards.map((p) => p.card));
    for (const plot of this.pickedCards) plot.rebuild();
  }

  rebuildIfWider() {
    const width = this.place.clientWidth;
    if (width === this.width) return;
    this.width = width;
    this.rebuild();
  }
  rebuild() { for (const plot of this.plots) plot.rebuild(); }
  moveCursor() { for (const plot of this.plots) plot.moveCursor(); }
  refresh() { for (const plot of this.plots) plot.refresh?.(); }
}

function emptyCard(title, text) {
  return { card: element('article', { class: 'card' }, element('h3', {}, title), element('p', { class: 'note' }, text)), rebuild() {}, moveCursor() {} };
}
