// Plots over time with a common cursor, by uPlot.
import uPlot from 'uplot';
import { css, lineColour, lineDash, statusColours, statusNames, okabeIto } from './colours.js';
import { drawMarks } from './events.js';
import { element, niceStep, number, swatch, ticks } from './text.js';

const HEIGHT = 170;
const font = () => '11px system-ui, sans-serif';

function tick(value) {
  if (value === 0) return '0';
  const size = Math.abs(value);
  const text = size >= 1e4 || size < 1e-3 ? value.toExponential(1).replace('.0e', 'e') : String(Number(value.toPrecision(6)));
  return text.replaceAll('-', '−').replace('e+', 'e');
}

const linear = { incrs: (u, axis, min, max, size, space) => [niceStep((max - min) * space / size)],
  splits: (u, axis, min, max, step) => ticks(min, max, step || niceStep((max - min) / 5)) };

// Logarithms are plotted, so that the same axis does.
const powers = { incrs: (u, axis, min, max, size, space) => [Math.max(1, niceStep((max - min) * space / size))],
  values: (u, list) => list.map((v) => `1e${String(v).replace('-', '−')}`) };
const decades = (u, min, max) => (min === null ? [-1, 1] : [Math.floor(min - 0.1), Math.ceil(max + 0.1)]);

const xAxis = () => ({ ...linear, stroke: css('--soft'), font: font(), size: 26, gap: 3, space: 60, ticks: { size: 4, stroke: css('--line'), width: 1 },
  grid: { stroke: css('--line'), width: 1 }, values: (u, list) => list.map((v) => `${tick(v)} s`) });
const yAxis = (extra = {}) => ({ stroke: css('--soft'), font: font(), size: (u, texts) => Math.max(58, 14 + 6.3 * Math.max(0, ...(texts ?? []).map((t) => t.length))), gap: 3, space: 28, ticks: { size: 4, stroke: css('--line'), width: 1 },
  grid: { stroke: css('--line'), width: 1 }, values: (u, list) => list.map((v) => (v === null ? '' : tick(v))), ...extra });

// A line would not show points that stand alone.
function isSparse(values) {
  let known = 0;
  for (const v of values) if (Number.isFinite(v)) ++known;
  return known < Math.min(300, values.length);
}

// One card: a heading, a legend with the values at the cursor, a canvas.
export class Plot {
  // series: [{ label, unit, values, colour, dash, fill, hidden }]; options: log, step, stacked, note, fine (between pixels).
  constructor(title, player, time, series, options = {}) {
    this.player = player;
    this.time = time;
    this.series = series;
    this.options = options;
    this.title = element('h3', {}, title);
    this.legend = element('div', { class: 'plot-legend' });
    this.box = element('div', { class: 'plot-box' });
    this.line = element('div', { class: 'cursor' });
    this.card = element('article', { class: 'card' }, element('div', { class: 'card-head' }, this.title), this.legend, this.box);
    if (options.note) this.card.append(element('p', { class: 'note' }, options.note));
    this.makeLegend();
  }

  makeLegend() {
    this.legend.replaceChildren();
    this.values = this.series.map((s, i) => {
      const value = element('b');
      const entry = element('button', { class: 'entry', type: 'button', title: 'show or hide' },
        swatch(s.colour), `${s.label} `, value, s.unit ? ` ${s.unit}` : '');
      entry.setAttribute('aria-pressed', String(!s.hidden));
      if (s.silent) entry.classList.add('silent');
      entry.onclick = () => {
        s.hidden = !s.hidden;
        entry.setAttribute('aria-pressed', String(!s.hidden));
        if (this.options.stacked || this.options.strips) this.rebuild(); else this.plot?.setSeries(i + 1, { show: !s.hidden });
      };
      this.legend.append(entry);
      return value;
    });
  }

  data() {
    const { log, stacked } = this.options;
    const clean = (values) => Array.from(values, (v) => (Number.isFinite(v) && (!log || v > 0) ? (log ? Math.log10(v) : v) : null));
    if (!stacked) return [this.time, ...this.series.map((s) => clean(s.values))];
    const sum = new Float64Array(this.time.length);
    return [this.time, ...this.series.map((s) => {
      if (s.hidden) return Array.from(sum);
      if (s.line) return clean(s.values);
      for (let i = 0; i < sum.length; ++i) sum[i] += Number.isFinite(s.values[i]) ? s.values[i] : 0;
      return Array.from(sum);
    })];
  }

  rebuild() {
    this.plot?.destroy();
    this.plot = null;
    const width = this.box.clientWidth;
    if (!width || this.time.length < 1) return;
    const { log, stacked, step, height } = this.options;
    const stepped = step ? uPlot.paths.stepped({ align: 1 }) : undefined;
    let below = null;
    const bands = [];
    this.series.forEach((s, i) => {
      if (!stacked || s.line) return;
      if (!s.hidden) bands.push({ series: [i + 1, below ?? -1], fill: `${s.colour}b0` });
      below = i + 1;
    });
    const first = this.series.findIndex((s) => !s.line);
    this.plot = new uPlot({
      width, height: height ?? HEIGHT, padding: this.options.strips ? [4, 14, 0, 14] : [8, 14, 0, 0],
      legend: { show: false },
      cursor: { points: { show: !this.options.strips, size: 5 }, drag: { x: true, y: false }, y: false },
      scales: { x: { time: false }, y: { range: log ? decades : stacked ? fromZero : this.options.range ?? padded } },
      axes: [xAxis(), yAxis({ ...linear, ...(log ? powers : {}), ...this.options.axis })],
      bands: bands.filter((b) => b.series[1] > 0),
      series: [{}, ...this.series.map((s, i) => ({
        label: s.label, stroke: s.colour, width: stacked && !s.line ? 0.5 : 1.4, dash: s.dash, paths: stepped, pxAlign: this.options.fine ? 0 : 1,
        show: this.options.strips ? false : stacked ? !(s.hidden && s.line) : !s.hidden, spanGaps: false, points: { show: !stacked && isSparse(s.values), size: 4, fill: s.colour },
        fill: stacked && i === first && !s.hidden ? `${s.colour}b0` : undefined, fillTo: stacked ? () => 0 : undefined,
      }))],
      hooks: { draw: [(u) => this.options.draw?.(u)], setScale: [() => this.moveCursor()],
        ready: [(u) => { u.over.append(this.line); this.listenToClicks(u); }] },
    }, this.data(), this.box);
    this.moveCursor();
  }

  listenToClicks(u) {
    let down = null;
    u.over.addEventListener('mousedown', (e) => { down = e.clientX; });
    u.over.addEventListener('click', (e) => {
      if (down !== null && Math.abs(e.clientX - down) > 3) return; // a drag is a zoom
      this.player.seekTime(u.posToVal(e.clientX - u.over.getBoundingClientRect().left, 'x'));
    });
  }

  setData(time, series) {
    this.time = time;
    series.forEach((values, i) => { this.series[i].values = values; });
    if (!this.plot) { this.rebuild(); return; }
    const { min, max } = this.plot.scales.x, whole = min <= this.plot.data[0][0] && max >= this.plot.data[0].at(-1);
    this.plot.setData(this.data(), whole);
    this.moveCursor();
  }

  // The point of the curves at the player's time.
  index() {
    const t = this.player.time;
    let low = 0, high = this.time.length - 1;
    while (low < high) { const m = (low + high + 1) >> 1; if (this.time[m] <= t) low = m; else high = m - 1; }
    return low;
  }

  moveCursor() {
    const i = this.index();
    this.series.forEach((s, k) => { this.values[k].textContent = s.silent ? '' : s.show ? s.show(s.values[i]) : number(s.values[i]); });
    if (!this.plot) return;
    const x = this.plot.valToPos(this.player.time, 'x');
    this.line.style.transform = `translateX(${x}px)`;
    this.line.hidden = !(x >= 0 && x <= this.plot.over.clientWidth);
  }
}

// Areas stand on zero.
function fromZero(u, min, max) {
  if (min === null) return [0, 1];
  return [Math.min(0, 1.06 * min), 1.06 * Math.max(0, max) || 1];
}

// A range with room; a constant gets some about it.
function padded(u, min, max) {
  if (min === null) return [0, 1];
  if (min === max) { const room = Math.abs(min) * 0.1 || 1; return [min - room, max + room]; }
  const room = 0.06 * (max - min);
  return [min >= 0 && min < 0.3 * max ? 0 : min - room, max + room];
}

export function lines(list) {
  return list.map((c, i) => ({ label: c.label ?? c.name, unit: c.unit, values: c.values, colour: lineColour(i), dash: lineDash(i) }));
}

// Status of each contact as a strip, its events as marks on it.
export function stripPlot(title, player, time, contacts, events) {
  const series = contacts.map((c) => ({ label: c.name, values: c.values, colour: okabeIto.grey, silent: true }));
  const row = 24;
  const plot = new Plot(title, player, time, series, {
    strips: true, height: 40 + row * contacts.length, range: () => [0, contacts.length],
    axis: { show: false, size: 0 },
    draw: (u) => {
      const { ctx, bbox } = u, t = u.data[0], high = bbox.height / contacts.length, ratio = devicePixelRatio;
      ctx.save();
      ctx.beginPath(); ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height); ctx.clip();
      ctx.fillStyle = css('--card'); ctx.fillRect(bbox.left, bbox.top, bbox.width, bbox.height);
      contacts.forEach((contact, j) => {
        const values = plot.series[j].values, top = bbox.top + j * high + 0.12 * high;
        for (let i = 0, start = 0; i <= t.length; ++i) {
          if (i < t.length && values[i] === values[start]) continue;
          const status = values[start];
          if (status > 0 || status === 0) {
            const from = u.valToPos(t[start], 'x', true), to = u.valToPos(t[Math.min(i, t.length - 1)], 'x', true);
            ctx.fillStyle = status === 0 ? css('--open') : statusColours[status] ?? okabeIto.black;
            ctx.fillRect(from, top, Math.max(1, to - from), 0.76 * high);
          }
          start = i;
        }
        ctx.font = `${11 * ratio}px system-ui, sans-serif`;
        ctx.textAlign = 'left';
        ctx.textBaseline = 'middle';
        const width = ctx.measureText(contact.name).width;
        ctx.globalAlpha = 0.8; ctx.fillStyle = css('--card');
        ctx.fillRect(bbox.left + 4 * ratio, top + 0.38 * high - 7.5 * ratio, width + 8 * ratio, 15 * ratio);
        ctx.globalAlpha = 1; ctx.fillStyle = css('--text');
        ctx.fillText(contact.name, bbox.left + 8 * ratio, top + 0.38 * high);
      });
      ctx.restore();
      const names = contacts.map((c) => c.name);
      drawMarks(u, events().filter((e) => names.includes(e[2])), (name) => [bbox.top + names.indexOf(name) * high + 0.12 * high, 0.76 * high]);
    },
  });
  plot.legend.replaceChildren(...statusNames.slice(0, 4).map((name, k) =>
    element('span', { class: 'entry silent' }, swatch(k === 0 ? css('--open') : statusColours[k]), name)));
  return plot;
}
