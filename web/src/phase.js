// Phase portraits: a velocity over its coordinate, with the state at the cursor.
import { css, okabeIto } from './colours.js';
import { element, niceStep, number, ticks } from './text.js';

export class Phase {
  // pairs: [{ label, x: { name, values }, y: { name, values }, walls: [{ at, side }] }]; of a wall
  // values of x on that side of it are allowed, +1 or -1.
  constructor(title, player, time, pairs) {
    this.player = player;
    this.time = time;
    this.pairs = pairs;
    this.chosen = 0;
    this.select = element('select', { ariaLabel: 'which coordinate' }, ...pairs.map((p, i) => element('option', { value: i }, p.label)));
    this.select.onchange = () => { this.chosen = Number(this.select.value); this.rebuild(); };
    this.canvas = element('canvas', { class: 'phase' });
    this.dot = element('div', { class: 'phase-dot' });
    this.box = element('div', { class: 'plot-box phase-box' }, this.canvas, this.dot);
    this.card = element('article', { class: 'card' },
      element('div', { class: 'card-head' }, element('h3', {}, title), pairs.length > 1 ? this.select : ''), this.box);
  }
  setData(time, pairs) { this.time = time; this.pairs = pairs; this.rebuild(); }

  rebuild() {
    const width = this.box.clientWidth, height = 230, ratio = devicePixelRatio || 1;
    if (!width) return;
    Object.assign(this.canvas, { width: width * ratio, height: height * ratio });
    this.canvas.style.height = `${height}px`;
    const { x, y } = this.pairs[this.chosen];
    const bounds = (values) => {
      let low = Infinity, high = -Infinity;
      for (const v of values) if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
      if (!(high > low)) { low -= 1; high += 1; }
      const room = 0.05 * (high - low);
      return [low - room, high + room];
    };
    const [left, right, top, bottom] = [60, width - 12, 8, height - 36];
    const bx = bounds(x.values), by = bounds(y.values);
    this.toX = (v) => left + (v - bx[0]) / (bx[1] - bx[0]) * (right - left);
    this.toY = (v) => bottom - (v - by[0]) / (by[1] - by[0]) * (bottom - top);
    const c = this.canvas.getContext('2d');
    c.scale(ratio, ratio);
    c.clearRect(0, 0, width, height);
    c.font = '11px system-ui, sans-serif';
    c.strokeStyle = css('--line'); c.fillStyle = css('--soft');
    c.textAlign = 'center';
    for (const v of ticks(...bx, niceStep((bx[1] - bx[0]) * 70 / (right - left)))) {
      c.beginPath(); c.moveTo(this.toX(v), top); c.lineTo(this.toX(v), bottom); c.stroke();
      c.fillText(number(v, 3), this.toX(v), bottom + 13);
    }
    c.fillText(x.name, (left + right) / 2, bottom + 29);
    c.textAlign = 'right';
    for (const v of ticks(...by, niceStep((by[1] - by[0]) * 32 / (bottom - top)))) {
      c.beginPath(); c.moveTo(left, this.toY(v)); c.lineTo(right, this.toY(v)); c.stroke();
      c.fillText(number(v, 3), left - 5, this.toY(v) + 4);
    }
    c.save(); c.translate(11, (top + bottom) / 2); c.rotate(-Math.PI / 2); c.textAlign = 'center'; c.fillText(y.name, 0, 0); c.restore();
    c.beginPath(); c.rect(left, top, right - left, bottom - top); c.clip();
    this.drawWalls(c, left, right, top, bottom);
    c.beginPath();
    let pen = false;
    for (let i = 0; i < x.values.length; ++i) {
      if (!Number.isFinite(x.values[i]) || !Number.isFinite(y.values[i])) { pen = false; continue; }
      if (pen) c.lineTo(this.toX(x.values[i]), this.toY(y.values[i])); else c.moveTo(this.toX(x.values[i]), this.toY(y.values[i]));
      pen = true;
    }
    c.strokeStyle = okabeIto.blue; c.lineWidth = 1; c.stroke();
    this.moveCursor();
  }

  drawWalls(c, left, right, top, bottom) {
    for (const { at, side } of this.pairs[this.chosen].walls ?? []) {
      const x = this.toX(at), end = side > 0 ? left : right;
      if (side > 0 ? x < left : x > right) continue;
      c.fillStyle = css('--wall'); c.strokeStyle = css('--wall');
      c.globalAlpha = 0.3; c.fillRect(Math.min(x, end), top, Math.abs(end - x), bottom - top); c.globalAlpha = 1;
      c.lineWidth = 1.5; c.beginPath(); c.moveTo(x, top); c.lineTo(x, bottom); c.stroke();
    }
  }

  moveCursor() {
    if (!this.toX) return;
    const t = this.player.time;
    let low = 0, high = this.time.length - 1;
    while (low < high) { const m = (low + high + 1) >> 1; if (this.time[m] <= t) low = m; else high = m - 1; }
    const { x, y } = this.pairs[this.chosen];
    this.dot.hidden = !Number.isFinite(x.values[low]) || !Number.isFinite(y.values[low]);
    this.dot.style.transform = `translate(${this.toX(x.values[low])}px, ${this.toY(y.values[low])}px)`;
  }
}
