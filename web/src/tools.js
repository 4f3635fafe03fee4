// Controls of the picture: what is coloured how, forces, trails, camera; and what was picked.
import * as THREE from 'three';
import { reactionColour, scaleCss, statusColours, statusNames } from './colours.js';
import { element, number, swatch } from './text.js';

const KINDS = ['free', 'fixed', 'driven'];
const MODES = { forces: ['off', 'chains', 'arrows'], colour: ['material', 'speed'], trails: ['picked', 'all', 'off'] };
const DIRECTIONS = [[1, 0, 0], [0, -1, 0], [0, 0, 1]];

export class Tools {
  constructor(run, view, player) {
    Object.assign(this, { run, view, player });
    this.selects = {};
    const bar = document.getElementById('tools');
    const choose = (name, label, names, action) => {
      const select = element('select', { title: label }, ...names.map((n) => element('option', { value: n }, n)));
      select.onchange = () => { action(select.value); select.blur(); };
      this.selects[name] = select;
      bar.append(element('label', {}, `${label} `, select));
    };
    choose('colour', 'colour', MODES.colour, (v) => this.setColour(v));
    choose('forces', 'forces', MODES.forces, (v) => this.setForces(v));
    choose('trails', 'trails', MODES.trails.filter((m) => m !== 'all' || view.canTrailAll), (v) => this.setTrails(v));
    this.size = element('input', { type: 'range', min: -1, max: 1, step: 0.05, value: 0, title: 'size of the forces' });
    this.size.oninput = () => { view.contacts.scale = view.joints.scale = 10 ** this.size.value; view.show(); };
    this.size.hidden = true;
    bar.append(this.size);
    if (view.joints.list.length) {
      this.joints = this.check(bar, 'joints', true, (on) => { view.joints.shown = on; view.show(); });
      this.reactions = this.check(bar, 'reactions', false, (on) => this.setReactions(on));
    }
    if (view.bodies.walls) this.through = this.check(bar, 'see through', false, (on) => { view.bodies.setSeeThrough(on); view.draw(); });
    if (view.wrap) this.check(bar, 'in the cell', true, (on) => { view.wrap = on; view.show(); });
    const reset = element('button', { type: 'button', title: 'camera back to where it was (R)' }, 'Reset');
    reset.onclick = () => view.resetCamera();
    bar.append(reset);
    view.onPick((what) => {
      if (what === 'drawn') { this.showScale(); return; }
      this.showPicked();
      this.showLegend();
    });
    this.showLegend();
  }

  check(bar, label, on, action) {
    const box = element('input', { type: 'checkbox', checked: on });
    box.onchange = () => action(box.checked);
    bar.append(element('label', {}, box, ` ${label}`));
    return box;
  }

  setForces(mode) { this.selects.forces.value = mode; this.view.contacts.mode = mode; this.changeForces(); }
  setReactions(on) { this.view.joints.reactions = on; this.changeForces(); }
  changeForces() {
    this.size.hidden = this.view.contacts.mode === 'off' && !this.view.joints.reactions;
    this.view.show();
    this.showLegend();
  }
  setColour(what) { this.selects.colour.value = what; this.view.bodies.setColourBy(what); this.view.repaint(); this.showLegend(); }
  setTrails(what) { this.selects.trails.value = what; this.view.trails = what; this.view.updateTrails(); }
  cycle(name) {
    const select = this.selects[name];
    select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
    select.onchange();
  }
  toggle(box) { this[box]?.click(); } // where there is something to switch
  look(k) { if (!this.view.planar) this.view.resetCamera(new THREE.Vector3(...DIRECTIONS[k])); }
  pickNext(by) {
    const list = this.view.freeBodies();
    if (!list.length) return;
    const at = list.indexOf(this.view.bodies.picked);
    this.view.pick(list[at < 0 ? 0 : (at + by + list.length) % list.length]);
  }

  showScale() {
    const corner = document.getElementById('corner');
    const time = element('span', { class: 'printed' }, `t = ${number(this.player.time, 5)} s, `); // the player is not printed
    if (!this.view.planar) { corner.replaceChildren(time, `grid ${number(this.view.surroundings.spacing)} m`); return; }
    const { length, pixels } = this.view.scaleBar();
    corner.replaceChildren(time, `${number(length)} m`, element('div', { class: 'scale-bar', style: `width:${pixels}px` }));
  }

  showLegend() {
    const parts = [];
    if (this.view.contacts.mode !== 'off') {
      for (const k of [1, 2, 3, 4]) parts.push(element('span', {}, swatch(statusColours[k]), statusNames[k]));
      const c = this.view.shownContacts;
      if (c && c.k !== this.view.shown) parts.push(element('span', {}, `contacts of t = ${number(this.player.times[c.k])} s`));
    }
    if (this.view.joints.reactions) parts.push(element('span', {}, swatch(reactionColour), 'reaction on the second body of a joint'));
    if (this.view.bodies.colourBy === 'speed') {
      parts.push(element('span', {}, '0 ', element('span', { class: 'ramp', style: `background:${scaleCss}` }), ` ${number(this.view.topSpeed ?? 0, 3)} m/s (root)`));
    }
    document.getElementById('legend').replaceChildren(...parts);
  }

  contactRows(body) {
    const c = this.view.shownContacts;
    if (!c) return [];
    const rows = [];
    for (let i = 0; i < c.n; ++i) {
      if (c.a[i] !== body && c.b[i] !== body) continue;
      const other = c.a[i] === body ? c.b[i] : c.a[i];
      const impulse = Math.hypot(c.force[i], c.force[c.n + i], c.force[2 * c.n + i]) * c.unit;
      rows.push({ name: other < 0 ? 'surroundings' : this.run.bodies.names[other], status: c.status[i], impulse, gap: c.gap?.[i] });
    }
    return rows.sort((a, b) => b.impulse - a.impulse);
  }

  jointRows(body, { reaction, reactionUnit }) {
    return this.view.joints.list.flatMap((joint, i) => {
      if (joint.a !== body && joint.b !== body) return [];
      const force = reaction && Math.hypot(...reaction.subarray(3 * i, 3 * i + 3)) * reactionUnit;
      return [element('li', {}, `${joint.name}: ${joint.kind}${force === undefined ? '' : `, ${number(force, 3)} N`}`)];
    });
  }

  showPicked() {
    const box = document.getElementById('picked'), body = this.view.bodies.picked, { frame } = this.view;
    box.hidden = body < 0 || !frame;
    if (box.hidden) return;
    const b = this.run.bodies, n = frame.n;
    const vector = (array, unit, from = 0) => [0, 1, 2].slice(0, this.view.planar ? 2 : 3).map((k) => number(array[(from + k) * n + body] * unit, 4)).join(', ');
    const speed = Math.hypot(...[0, 1, 2].map((k) => frame.velocity[k * n + body])) * frame.velocityStep;
    const material = this.run.head.materials[b.material[body]] ?? `material ${b.material[body]}`;
    const rows = [['shape', `${b.shape_kinds[b.shape_kind[body]]}${b.radius[body] ? `, radius ${number(b.radius[body])} m` : ''}`],
      ['kind', `${KINDS[b.kind[body]]}, ${material}${b.kind[body] === 0 ? `, ${number(b.mass[body])} kg` : ''}`],
      ['position', `${vector(frame.position, frame.step)} m`], ['velocity', `${vector(frame.velocity, frame.velocityStep)} m/s`], ['speed', `${number(speed)} m/s`]];
    if (frame.velocity.length > 3 * n) rows.push(['spin', this.view.planar ? `${number(frame.velocity[5 * n + body] * frame.velocityStep)} rad/s` : `${vector(frame.velocity, frame.velocityStep, 3)} rad/s`]);
    const contacts = this.contactRows(body);
    const list = contacts.slice(0, 8).map((c) => element('li', {}, swatch(statusColours[c.status]),
      `${c.name}: ${statusNames[c.status]}, ${number(c.impulse, 3)} N s${c.gap === undefined ? '' : `, gap ${number(c.gap, 2)} m`}`));
    if (contacts.length > 8) list.push(element('li', {}, `and ${contacts.length - 8} more`));
    const joints = this.jointRows(body, frame);
    if (joints.length > 8) joints.splice(8, joints.length, element('li', {}, `and ${joints.length - 8} more`));
    const close = element('button', { type: 'button', title: 'Esc', ariaLabel: 'close' }, '×');
    close.onclick = () => this.view.pick(-1);
    box.replaceChildren(close, element('h3', {}, b.names[body]),
      element('table', {}, element('tbody', {}, ...rows.map(([k, v]) => element('tr', {}, element('th', {}, k), element('td', {}, v))))),
      element('p', {}, contacts.length === 1 ? '1 contact' : `${contacts.length || 'no'} contacts`), element('ul', {}, ...list),
      ...(joints.length ? [element('p', {}, 'Joints'), element('ul', {}, ...joints)] : []));
  }
}
