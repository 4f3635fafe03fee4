// Events of contacts: marks on the plots, and a card that lists them.
import { okabeIto } from './colours.js';
import { element, number, swatch } from './text.js';

const COLOURS = { impact: okabeIto.vermillion, close: okabeIto.orange, open: okabeIto.grey, stick: okabeIto.green,
  slip: okabeIto.sky, break: okabeIto.purple };
export const eventColour = (kind) => COLOURS[kind] ?? okabeIto.black;
export const eventsOf = (run) => run.head.events?.list ?? [];

// Ticks along the lower edge of a plot; of a strip plot on the strip of their contact.
export function drawMarks(u, events, place) {
  const { ctx, bbox } = u, ratio = devicePixelRatio;
  ctx.save();
  ctx.beginPath(); ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height); ctx.clip();
  for (const [time, kind, name] of events) {
    const [top, high] = place?.(name) ?? [bbox.top + bbox.height - 7 * ratio, 7 * ratio];
    const x = Math.round(u.valToPos(time, 'x', true));
    ctx.fillStyle = eventColour(kind);
    ctx.fillRect(x - 0.5 * ratio, top, Math.max(1, 1.5 * ratio), high);
  }
  ctx.restore();
}

// The list: a click goes to the event's time.
export class EventList {
  constructor(run, player) {
    this.run = run;
    this.player = player;
    this.legend = element('div', { class: 'plot-legend' });
    this.body = element('tbody');
    const head = ['time', 'kind', 'contact', 'u_N before', 'u_N after', 'impulse'];
    this.card = element('article', { class: 'card events' }, element('h3', {}, 'Events'), this.legend,
      element('div', { class: 'event-list' }, element('table', {}, element('thead', {}, element('tr', {}, ...head.map((h) => element('th', {}, h)))), this.body)));
    this.refresh();
  }
  refresh() {
    const { counts = {}, total = 0 } = this.run.head.events ?? {}, list = eventsOf(this.run);
    this.legend.replaceChildren(...Object.entries(counts).map(([kind, count]) =>
      element('span', { class: 'entry silent' }, swatch(eventColour(kind)), `${kind} `, element('b', {}, count.toLocaleString('en')))),
    ...(list.length < total ? [element('span', { class: 'note' }, `The first ${list.length.toLocaleString('en')} of ${total.toLocaleString('en')} are listed and marked.`)] : []));
    const value = (x, unit) => (x === null ? '' : `${number(x, 4)} ${unit}`);
    this.body.replaceChildren(...list.map(([time, kind, name, before, after, impulse]) => {
      const row = element('tr', {}, ...[`${number(time, 6)} s`, kind, name, value(before, 'm/s'), value(after, 'm/s'), value(impulse, 'N s')].map((text) => element('td', {}, text)));
      row.onclick = () => this.player.seekTime(time);
      return row;
    }));
  }
  rebuild() {}
  moveCursor() {}
}
