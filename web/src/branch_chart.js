// Branches of orbits as curves: stable solid, unstable dashed, special points marked and named. A
// click chooses the nearest orbit whose motion is in the page.
import { okabeIto } from './colours.js';
import { element, niceStep, number, ticks } from './text.js';

const HEIGHT = 310, FAR = 40; // px; clicks further away choose nothing
const STYLES = { 1: ['stable', okabeIto.blue, ''], 0: ['unstable', okabeIto.vermillion, '6 4'], '-1': ['stability not known', okabeIto.green, ''] };
const MARKS = { fold: 'M0 -6L5 0L0 6L-5 0z', 'period-doubling': 'M-4.5 -4.5h9v9h-9z', 'neimark-sacker': 'M0 -6L5.5 4.5h-11z',
  grazing: 'M-5 -5L5 5M-5 5L5 -5', end: 'M0 -7V7' };
const OTHER = 'M-5 0H5M0 -5V5';

function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

const finite = (values) => values.filter(Number.isFinite);

// Linear, or of powers of ten where values span more than a factor of 20 and may.
function makeScale(values, mayBeLog, zoom) {
  let [low, high] = [Math.min(...finite(values)), Math.max(...finite(values))];
  const log = mayBeLog && low > 0 && high > 20 * low;
  const to = log ? Math.log10 : (x) => x;
  [low, high] = [to(low), to(high)];
  const room = high > low ? 0.05 * (high - low) : 0.1 * Math.abs(high) || 1;
  return { log, to, range: zoom ?? [low - room, high + room] };
}

function title({ family, branches }) {
  const what = family ? 'Family' : 'Branch';
  return branches.length === 1 ? `${what} (${branches[0].name})` : 'Branches';
}

export class BranchChart {
  // ways: [{ label, log, curves: [values of all points, ...] }]; choose: of the number of a point.
  constructor(orbits, ways, choose) {
    Object.assign(this, { orbits, ways, choose, way: 0, zoom: null, shown: 0 });
    this.select = element('select', { ariaLabel: 'what is drawn' }, ...ways.map((w, i) => element('option', { value: i }, w.label)));
    this.select.onchange = () => { this.way = Number(this.select.value); this.zoom = null; this.rebuild(); this.select.blur(); };
    this.box = element('div', { class: 'plot-box branch-box' });
    this.legend = element('div', { class: 'plot-legend' });
    const step = (by, name, text) => { const b = element('button', { type: 'button', title: name, ariaLabel: name }, text); b.onclick = () => orbits.step(by); return b; };
    this.where = element('span', { class: 'note' });
    this.card = element('article', { class: 'card branch' }, element('div', { class: 'card-head' }, element('h3', {}, title(orbits.head)), this.where,
      element('span', { class: 'spring' }), step(-1, 'the orbit before (←)', '‹'), step(1, 'the next orbit (→)', '›'), ways.length > 1 ? this.select : ''), this.legend, this.box);
  }

  rebuild() {
    const width = this.box.clientWidth;
    if (!width) return;
    this.frame = { left: 62, right: width - 14, top: 8, bottom: HEIGHT - 38 };
    const { orbits } = this, way = this.ways[this.way], { left, right, top, bottom } = this.frame;
    this.x = makeScale(orbits.x, false, this.zoom?.x);
    this.y = makeScale(way.curves.flatMap((c) => Array.from(c)), way.log, this.zoom?.y);
    const place = (scale, from, to) => (v) => from + (scale.to(v) - scale.range[0]) / (scale.range[1] - scale.range[0]) * (to - from);
    this.toX = place(this.x, left, right);
    this.toY = place(this.y, bottom, top);
    this.chosen = svg('g', { class: 'chosen' });
    this.dragged = svg('rect', { class: 'dragged', visibility: 'hidden' });
    this.named = { points: new Set(), places: [] };
    const inside = svg('g', { 'clip-path': 'url(#branch-clip)' }, ...way.curves.flatMap((c) => this.lines(c)), ...way.curves.flatMap((c) => this.marks(c)), this.chosen, this.dragged);
    this.drawing = svg('svg', { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: 'img', 'aria-label': `${way.label} over ${orbits.xName}` },
      svg('clipPath', { id: 'branch-clip' }, svg('rect', { x: left, y: top, width: Math.max(0, right - left), height: bottom - top })),
      ...this.axes(way), inside);
    this.listen();
    this.box.replaceChildren(this.drawing);
    this.makeLegend();
    this.show(this.shown);
  }

  axes(way) {
    const { left, right, top, bottom } = this.frame, out = [];
    const stepOf = (scale, px, space) => Math.max(niceStep((scale.range[1] - scale.range[0]) * space / px), scale.log ? 1 : 0);
    const back = (scale, v) => (scale.log ? 10 ** v : v), words = (scale, v) => (scale.log ? `1e${v}`.replace('-', '−') : number(v, 4));
    const text = (x, y, anchor, content, more = {}) => svg('text', { x, y, 'text-anchor': anchor, ...more }, content);
    for (const v of ticks(...this.x.range, stepOf(this.x, right - left, 70))) {
      const x = this.toX(v);
      out.push(svg('path', { class: 'grid', d: `M${x} ${top}V${bottom}` }), text(x, bottom + 14, 'middle', words(this.x, v)));
    }
    for (const v of ticks(...this.y.range, stepOf(this.y, bottom - top, 34))) {
      const y = this.toY(back(this.y, v));
      out.push(svg('path', { class: 'grid', d: `M${left} ${y}H${right}` }), text(left - 6, y + 4, 'end', words(this.y, v)));
    }
    const middle = (top + bottom) / 2;
    out.push(text((left + right) / 2, bottom + 32, 'middle', this.orbits.xName),
      text(0, 0, 'middle', way.label + (this.y.log ? ', logarithmic' : ''), { transform: `translate(11 ${middle}) rotate(-90)` }));
    return out;
  }

  // A path a stretch of one stability; points that nothing joins are dots.
  lines(values) {
    const { x, joined, stable } = this.orbits.points, paths = {}, dots = {}, n = values.length;
    for (let i = 0; i < n; ++i) {
      if (!Number.isFinite(values[i])) continue;
      const at = `${this.toX(x[i]).toFixed(2)} ${this.toY(values[i]).toFixed(2)}`;
      if (joined[i] && i > 0 && Number.isFinite(values[i - 1])) {
        const goesOn = i > 1 && joined[i - 1] && stable[i - 1] === stable[i] && paths[stable[i]];
        const from = goesOn ? '' : `M${this.toX(x[i - 1]).toFixed(2)} ${this.toY(values[i - 1]).toFixed(2)}`;
        paths[stable[i]] = `${paths[stable[i]] ?? ''}${from}L${at}`;
      } else if (i + 1 >= n || !joined[i + 1]) { dots[stable[i]] = `${dots[stable[i]] ?? ''}M${at}h0`; }
    }
    // What is not known lies below, wider, where another method has found the same orbits.
    const both = stable.includes(-1) && stable.some((s) => s >= 0);
    const draw = (list, kind) => Object.entries(list).sort((a, b) => a[0] - b[0]).map(([s, d]) => svg('path', { class: `${kind}${both && s === '-1' ? ' below' : ''}`, d, stroke: STYLES[s][1],
      'stroke-dasharray': kind === 'curve' ? STYLES[s][2] : '', 'data-stable': s }));
    return [...draw(paths, 'curve'), ...draw(dots, 'dots')];
  }

  // A name a point, left out where it would lie on another; the legend has them all.
  marks(values) {
    const out = [];
    for (const [i, kind] of Object.entries(this.orbits.head.kinds)) {
      const x = this.toX(this.orbits.points.x[i]), y = this.toY(values[i]);
      if (!Number.isFinite(y)) continue;
      out.push(svg('path', { class: 'mark', d: MARKS[kind] ?? OTHER, transform: `translate(${x} ${y})`, 'data-kind': kind }, svg('title', {}, kind)));
      if (this.named.points.has(i)) continue;
      const size = 6.2 * kind.length, spots = [[8, -9], [8, 16], [-8 - size, -9], [-8 - size, 16]].map(([dx, dy]) => [x + dx, y + dy]);
      const spot = spots.find(([u, v]) => u >= this.frame.left && u + size <= this.frame.right && v >= this.frame.top + 8 && v <= this.frame.bottom
        && this.named.places.every(([a, b, w]) => u > a + w || a > u + size || Math.abs(b - v) > 12));
      if (!spot) continue;
      this.named.points.add(i);
      this.named.places.push([...spot, size]);
      out.push(svg('text', { class: 'name', x: spot[0], y: spot[1] }, kind));
    }
    return out;
  }

  makeLegend() {
    const line = (s) => svg('svg', { width: 26, height: 10 }, svg('path', { d: 'M0 5H26', stroke: STYLES[s][1], 'stroke-dasharray': STYLES[s][2], 'stroke-width': 2 }));
    const mark = (kind) => svg('svg', { width: 16, height: 14 }, svg('path', { class: 'mark', d: MARKS[kind] ?? OTHER, transform: 'translate(8 7)' }));
    const { points, head } = this.orbits, entry = (picture, words) => element('span', { class: 'entry silent' }, picture, ` ${words}`);
    this.legend.replaceChildren(...['1', '0', '-1'].filter((s) => points.stable.includes(Number(s))).map((s) => entry(line(s), STYLES[s][0])),
      ...[...new Set(Object.values(head.kinds))].map((kind) => entry(mark(kind), kind)));
  }

  nearest(px, py) {
    let best = -1, least = FAR * FAR;
    const { motion, x } = this.orbits.points;
    for (const values of this.ways[this.way].curves) for (let i = 0; i < x.length; ++i) {
      if (motion[i] < 0 || !Number.isFinite(values[i])) continue;
      const d = (this.toX(x[i]) - px) ** 2 + (this.toY(values[i]) - py) ** 2;
      if (d < least) { least = d; best = i; }
    }
    return best;
  }

  listen() {
    let from = null;
    const spot = (e) => { const r = this.drawing.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
    this.drawing.onpointerdown = (e) => { from = spot(e); };
    this.drawing.onpointermove = (e) => {
      if (!from || e.buttons !== 1) return;
      const [x, y] = spot(e), box = { x: Math.min(x, from[0]), y: Math.min(y, from[1]), width: Math.abs(x - from[0]), height: Math.abs(y - from[1]) };
      for (const [key, value] of Object.entries({ ...box, visibility: 'visible' })) this.dragged.setAttribute(key, value);
    };
    this.drawing.onpointerleave = () => { from = null; this.dragged.setAttribute('visibility', 'hidden'); };
    this.drawing.onpointerup = (e) => {
      if (!from) return;
      const to = spot(e), start = from;
      from = null;
      this.dragged.setAttribute('visibility', 'hidden');
      if (Math.hypot(to[0] - start[0], to[1] - start[1]) < 5) { const i = this.nearest(...to); if (i >= 0) this.choose(i); return; }
      if (Math.abs(to[0] - start[0]) > 8 && Math.abs(to[1] - start[1]) > 8) this.zoomTo(start, to);
    };
    this.drawing.ondblclick = () => { this.zoom = null; this.rebuild(); };
  }

  zoomTo(a, b) {
    const { left, right, top, bottom } = this.frame;
    const back = (scale, from, to) => (px) => scale.range[0] + (Math.max(Math.min(from, to), Math.min(Math.max(from, to), px)) - from) / (to - from) * (scale.range[1] - scale.range[0]);
    const rise = (u, v) => [Math.min(u, v), Math.max(u, v)], x = back(this.x, left, right), y = back(this.y, bottom, top);
    this.zoom = { x: rise(x(a[0]), x(b[0])), y: rise(y(a[1]), y(b[1])) };
    this.rebuild();
  }

  show(i) {
    this.shown = i;
    if (!this.chosen) return;
    this.chosen.replaceChildren(...this.ways[this.way].curves.filter((c) => Number.isFinite(c[i]))
      .map((c) => svg('circle', { cx: this.toX(this.orbits.points.x[i]), cy: this.toY(c[i]), r: 6 })));
  }
}

// Multipliers and the unit circle.
const SIZE = 150, MOST = 2.2;
export function multiplierPicture(list, trivial) {
  const largest = Math.max(1.12, ...list.map(([re, im]) => Math.hypot(re, im))), range = Math.min(MOST, largest) * 1.1, half = SIZE / 2, unit = half / range;
  const dots = list.map(([re, im], k) => {
    const size = Math.hypot(re, im), kind = trivial.has(k) ? 'trivial' : size > 1 + 1e-6 ? 'outside' : 'inside', shrink = size > MOST ? MOST / size : 1;
    return svg('circle', { class: `multiplier ${kind}${size > MOST ? ' far' : ''}`, cx: half + unit * shrink * re, cy: half - unit * shrink * im, r: 4.5 },
      svg('title', {}, complex(re, im)));
  });
  return svg('svg', { width: SIZE, height: SIZE, role: 'img', 'aria-label': 'multipliers and the unit circle', class: 'multipliers' },
    svg('path', { class: 'grid', d: `M0 ${half}H${SIZE}M${half} 0V${SIZE}` }), svg('circle', { class: 'unit', cx: half, cy: half, r: unit }), ...dots);
}
export function complex(re, im) {
  if (Math.abs(im) < 1e-12 * Math.max(1, Math.abs(re))) return number(re, 5);
  return `${number(re, 5)} ${im < 0 ? '−' : '+'} ${number(Math.abs(im), 5)} i`;
}
