// The page of periodic orbits: branches or a family, and the motion of the orbit that is chosen.
// Its data are described in clack/record/orbit_page.hpp.
import { BranchChart, complex, multiplierPicture } from './branch_chart.js';
import { connectPlayer, connectPrinting } from './controls.js';
import { pageBlock, pageHead } from './data.js';
import { drawMarks } from './events.js';
import { fillHelp, listenToKeys } from './keys.js';
import { Phase } from './phase.js';
import { Player } from './player.js';
import { Plot, lines } from './plots.js';
import { element, number } from './text.js';
import { onTheme, toggleTheme } from './theme.js';

const at = (id) => document.getElementById(id);
const KEYS = [['← →', 'the orbit before, the next orbit of the branch; with Shift ten'], ['N P', 'the next, the previous marked point'], ['Space', 'play, pause'],
  [', .', 'a frame back, on'], ['Home, End', 'start, end of the period'], ['+ −', 'faster, slower'], ['D', 'dark or light'], ['?', 'these keys'], ['Esc', 'close this']];
const MOUSE = 'A click on a curve of branches chooses the nearest orbit, a drag zooms, a double click shows all. In a plot over time a click sets the time, a drag zooms.';
const LISTED = 8; // multipliers

const columns = (flat, width) => Array.from({ length: width }, (_, j) => flat.filter((_, i) => i % width === j));
const plural = (n, word) => `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`;

class Orbits {
  constructor(head, points, motions) {
    Object.assign(this, { head, points, motions });
    points.frequency = points.period.map((T) => 1 / T);
    points.x = head.parameter ? points.parameter : points.frequency;
    this.x = Array.from(points.x);
    this.xName = head.parameter ? head.parameter.replace(/^parameters\./, '') : 'frequency [Hz]';
    this.list = Array.from(points.motion.keys()).filter((i) => points.motion[i] >= 0); // those that can be played
    this.chosen = this.list[0];
  }

  // Moduli of the multipliers other than the trivial ones; NaN where there are none.
  largestMultiplier(i) {
    const list = this.multipliers(i), trivial = this.trivial(list, i);
    const sizes = list.filter((_, k) => !trivial.has(k)).map(([re, im]) => Math.hypot(re, im));
    return sizes.length ? Math.max(...sizes) : NaN;
  }
  multipliers(i) {
    const m = this.head.multipliers, out = [];
    for (let k = 0; k < m; ++k) {
      const re = this.points.multipliers[2 * (i * m + k)], im = this.points.multipliers[2 * (i * m + k) + 1];
      if (Number.isFinite(re)) out.push([re, im]);
    }
    return out;
  }
  // Those that are +1 whatever the orbit: the nearest to it.
  trivial(list, i) {
    const order = list.map(([re, im], k) => [Math.hypot(re - 1, im), k]).sort((a, b) => a[0] - b[0]);
    return new Set(order.slice(0, this.points.trivial[i]).map(([, k]) => k));
  }

  ways() {
    const { head, points } = this, n = head.q.length, low = columns(points.smallest, n), high = columns(points.largest, n);
    const extremes = head.q.map((name, j) => ({ label: `largest and smallest ${name}`, curves: [high[j], low[j]] }));
    const amplitudes = head.q.map((name, j) => ({ label: `amplitude of ${name}`, log: true, curves: [high[j].map((x, i) => (x - low[j][i]) / 2)] }));
    const energy = { label: 'energy [J]', log: true, curves: [points.energy] };
    const out = head.parameter ? [...extremes, ...amplitudes, energy, { label: 'period [s]', curves: [points.period] }] : [energy, ...extremes, ...amplitudes];
    const sizes = points.period.map((_, i) => this.largestMultiplier(i));
    if (sizes.some(Number.isFinite)) out.push({ label: 'largest modulus of the multipliers', log: true, curves: [sizes] });
    return out.filter((way) => way.curves.some((c) => c.some(Number.isFinite)));
  }

  // The motion of point i: times, coordinates and velocities by name.
  motion(i) {
    const { offset, t, z } = this.motions, m = this.points.motion[i], n = this.head.q.length, from = offset[m], to = offset[m + 1];
    const column = (j) => Float64Array.from({ length: to - from }, (_, k) => z[(from + k) * 2 * n + j]);
    return { t: t.slice(from, to), q: this.head.q.map((name, j) => ({ name, values: column(j) })), v: this.head.v.map((name, j) => ({ name, values: column(n + j) })),
      events: this.head.events[m], walls: this.head.walls[m] };
  }
}

// A portrait is closed where the motion comes back; a coordinate that drifts does not.
function phasePairs(motion) {
  return motion.q.map((q, j) => {
    const v = motion.v[j], span = Math.max(...q.values) - Math.min(...q.values);
    const closed = Math.abs(q.values.at(-1) - q.values[0]) <= 1e-4 * span;
    const loop = (c) => ({ name: c.name, values: closed ? [...c.values, c.values[0]] : c.values });
    return { label: q.name, x: loop(q), y: loop(v), walls: motion.walls.filter((w) => w[0] === j).map(([, place, side]) => ({ at: place, side })) };
  });
}

function countEvents(events) {
  const counts = new Map();
  for (const [, kind, name] of events) { const words = name ? `${kind} ${name}` : kind; counts.set(words, (counts.get(words) ?? 0) + 1); }
  return [...counts].map(([words, n]) => (n > 1 ? `${n} × ${words}` : words)).join(', ') || 'none';
}

class OrbitPanels {
  constructor(orbits, place) {
    this.orbits = orbits;
    this.place = place;
    this.motion = orbits.motion(orbits.chosen);
    this.player = new Player(this.motion.t);
    this.player.looping = true;
    const marks = (u) => drawMarks(u, this.motion.events);
    this.coordinates = new Plot('Coordinates', this.player, this.motion.t, lines(this.motion.q), { draw: marks, fine: true });
    this.velocities = new Plot('Velocities', this.player, this.motion.t, lines(this.motion.v), { draw: marks, fine: true });
    this.phase = new Phase('Phase portrait', this.player, this.motion.t, phasePairs(this.motion));
    this.facts = element('article', { class: 'card facts', ariaLive: 'polite' });
    this.circle = element('article', { class: 'card circle' });
    const single = orbits.points.x.length === 1;
    this.chart = single ? null : new BranchChart(orbits, orbits.ways(), (i) => { this.choose(i); this.player.play(); });
    const side = element('div', { class: `orbit-side${single ? ' single' : ''}` }, this.facts, this.circle);
    place.append(...[this.chart?.card, side, ...(single ? [this.phase, this.coordinates, this.velocities] : this.timed).map((p) => p.card)].filter(Boolean));
    orbits.step = (by) => this.step(by);
    this.player.onChange((what) => { if (what === 'time' || what === 'length') for (const p of this.timed) p.moveCursor(); });
    this.tell();
    this.rebuild();
    new ResizeObserver(() => { if (place.clientWidth !== this.width) this.rebuild(); }).observe(place);
  }
  get timed() { return [this.coordinates, this.velocities, this.phase]; }

  rebuild() {
    this.width = this.place.clientWidth;
    this.chart?.rebuild();
    for (const plot of this.timed) plot.rebuild();
  }

  // Another orbit, at the same part of its period.
  choose(i) {
    const { player, orbits } = this, share = player.time / (player.times[player.last] || 1);
    orbits.chosen = i;
    this.motion = orbits.motion(i);
    player.times = this.motion.t;
    player.index = player.indexAt(share * player.times[player.last]);
    player.exact = player.time;
    player.speed = player.goodSpeed();
    this.coordinates.setData(this.motion.t, this.motion.q.map((c) => c.values));
    this.velocities.setData(this.motion.t, this.motion.v.map((c) => c.values));
    this.phase.setData(this.motion.t, phasePairs(this.motion));
    this.chart?.show(i);
    this.tell();
    player.tell('length');
  }
  step(by) {
    const { list, chosen } = this.orbits, k = list.indexOf(chosen), next = Math.max(0, Math.min(list.length - 1, k + by));
    if (next !== k) this.choose(list[next]);
  }
  stepMarked(by) {
    const marked = Object.keys(this.orbits.head.kinds).map(Number).sort((a, b) => by * (a - b));
    const next = marked.find((i) => by * (i - this.orbits.chosen) > 0);
    if (next !== undefined) this.choose(next);
  }

  // What is known of the chosen orbit, in words and numbers.
  tell() {
    const { head, points, chosen: i, list } = this.orbits, branch = head.branches[points.branch[i]], kind = head.kinds[i], fault = head.faults[i];
    const status = fault ? ['bad', 'not admissible'] : { 1: ['good', 'stable'], 0: ['warn', 'unstable'] }[points.stable[i]];
    const rows = [[head.parameter && this.orbits.xName, number(points.parameter[i], 8)], ['period', `${number(points.period[i], 8)} s`], ['frequency', `${number(points.frequency[i], 8)} Hz`],
      ['energy', `${number(points.energy[i], 8)} J`], ['events', countEvents(this.motion.events)],
      ['slowest impact', Number.isFinite(points.slowest_impact[i]) && `${number(points.slowest_impact[i], 5)} m/s`],
      ['closes to', Number.isFinite(points.closing[i]) && `${number(points.closing[i], 2)} of its size`],
      [head.branches.length > 1 && 'branch', branch.name], [(kind === 'end' || kind === 'grazing') && 'why it ends', branch.stop]].filter(([name, value]) => name && value);
    this.facts.replaceChildren(element('div', { class: 'card-head' }, element('h3', {}, kind ? `This orbit: ${kind}` : 'This orbit'), status ? element('span', { class: `state ${status[0]}` }, status[1]) : ''),
      ...(fault ? [element('p', { class: 'word bad' }, fault)] : []),
      element('table', {}, element('tbody', {}, ...rows.map(([name, value]) => element('tr', {}, element('th', { scope: 'row' }, name), element('td', {}, value))))));
    if (this.chart) this.chart.where.textContent = `orbit ${list.indexOf(i) + 1} of ${list.length}`;
    this.tellMultipliers(i);
  }
  tellMultipliers(i) {
    const list = this.orbits.multipliers(i), trivial = this.orbits.trivial(list, i);
    const rows = list.slice(0, LISTED).map(([re, im], k) => element('tr', { class: trivial.has(k) ? 'trivial' : '' }, element('td', {}, complex(re, im)), element('td', {}, number(Math.hypot(re, im), 6))));
    this.circle.hidden = !list.length;
    this.circle.replaceChildren(element('h3', {}, 'Multipliers'), element('div', { class: 'circle-row' }, multiplierPicture(list, trivial), element('div', {},
      element('table', {}, element('thead', {}, element('tr', {}, ...['value', 'modulus'].map((h) => element('th', {}, h)))), element('tbody', {}, ...rows)), list.length > LISTED ? element('p', { class: 'note' }, `and ${list.length - LISTED} smaller ones`) : '',
      trivial.size ? element('p', { class: 'note' }, 'grey: +1 whatever the orbit') : '')));
  }
}

function showHead(orbits) {
  const { head, points } = orbits, single = points.x.length === 1, good = head.branches.every((b) => b.good) && !Object.keys(head.faults).length;
  document.title = head.title ? `${head.title} – Clack` : 'Clack orbits';
  at('title').textContent = head.title || 'Periodic orbits';
  at('badge').textContent = Object.keys(head.faults).length ? 'not admissible' : single ? 'periodic orbit' : head.family ? 'family of orbits' : head.branches.length > 1 ? 'branches of orbits' : 'branch of orbits';
  at('badge').className = good ? 'good' : 'warn';
  const words = head.branches.filter((b) => b.stop).map((b) => [b.good ? 'info' : 'warn', head.branches.length > 1 ? `Branch ${b.name}: ${b.stop}.` : `${b.stop[0].toUpperCase()}${b.stop.slice(1)}.`]);
  if (head.inadmissible) words.push(['info', `${plural(head.inadmissible, 'solution')} that ${head.inadmissible === 1 ? 'is' : 'are'} not admissible ${head.inadmissible === 1 ? 'is' : 'are'} in the table beside this page and not drawn here.`]);
  if (head.points < head.points_found) words.push(['info', `${plural(head.points, 'orbit')} of ${head.points_found.toLocaleString('en')} are drawn; all are in the table beside this page.`]);
  if (orbits.list.length < points.x.length) words.push(['info', `The motions of ${orbits.list.length.toLocaleString('en')} of ${plural(points.x.length, 'orbit')} are in this page.`]);
  if (head.q.length < head.coordinates) words.push(['info', `${head.q.length} of ${head.coordinates.toLocaleString('en')} coordinates are shown.`]);
  at('warnings').replaceChildren(...words.map(([kind, text]) => element('p', { class: `word ${kind}` }, text)));
  const scene = element('details', {}, element('summary', {}, 'Scene'), element('pre', {}, head.scene || '(none)'));
  at('summary').replaceChildren(scene, element('p', { class: 'note' }, 'Curves of branches in full, motions to 7 digits.'));
}

function connectKeys(panels) {
  const { player } = panels, help = at('help');
  fillHelp(help, KEYS, MOUSE);
  const openHelp = () => (help.open ? help.close() : help.showModal());
  at('help-button').onclick = openHelp;
  at('back').title = 'a frame back (,)';
  at('forth').title = 'a frame on (.)';
  const click = (id) => () => at(id).click(), step = (by) => (event) => panels.step(by * (event.shiftKey ? 10 : 1));
  listenToKeys({ arrowleft: step(-1), arrowright: step(1), n: () => panels.stepMarked(1), p: () => panels.stepMarked(-1), ' ': click('play'), ',': click('back'), '.': click('forth'),
    home: click('start'), end: click('end'), '+': () => player.changeSpeed(1), '=': () => player.changeSpeed(1), '-': () => player.changeSpeed(-1), d: toggleTheme, '?': openHelp,
    escape: () => help.close() });
}

export async function showOrbits() {
  document.body.classList.add('orbits');
  const [points, motions] = await Promise.all(['points', 'motions'].map(pageBlock));
  const orbits = new Orbits(pageHead(), points.arrays, motions.arrays);
  showHead(orbits);
  const panels = new OrbitPanels(orbits, at('plots'));
  at('loop').checked = true;
  connectPlayer(panels.player);
  connectKeys(panels);
  at('theme').onclick = toggleTheme;
  onTheme(() => panels.rebuild());
  connectPrinting(null);
  window.clack = { orbits, panels, player: panels.player };
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
  document.documentElement.dataset.settled = '1';
}
