// Contact forces: chains from centre to centre, or arrows at the contact points, by status.
import * as THREE from 'three';
import { Arrows } from './arrows.js';
import { statusColours } from './colours.js';

export class Contacts {
  constructor(bodies, size, length) {
    this.bodies = bodies;
    this.size = size; // thickness of a typical body [m]
    this.length = length; // of an arrow of the impulse `reference` [m]
    this.group = new THREE.Group();
    this.mode = 'off';
    this.centre = new THREE.Vector3();
    this.scale = 1;
    this.reference = 1; // impulse that is drawn at full size
    this.arrows = new Arrows(this.group);
    this.colours = statusColours.map((c) => new THREE.Color(c));
  }

  // From the drawn centre of body b where there is one (see contacts_block), as its nearest image.
  point(contacts, c, frame, place, shortest, out) {
    const { n } = contacts, body = contacts.b[c] >= 0 ? contacts.b[c] : contacts.a[c];
    shortest(out.set(contacts.point[c], contacts.point[n + c], contacts.point[2 * n + c]).multiplyScalar(frame.step));
    return body >= 0 ? out.add(place(frame, body, this.centre)) : out;
  }

  update(contacts, frame, place, shortest) {
    this.group.visible = this.mode !== 'off' && contacts !== null;
    if (!this.group.visible) return;
    const { n } = contacts, b = this.bodies.bodies;
    const x = new THREE.Vector3(), from = new THREE.Vector3(), to = new THREE.Vector3(), f = new THREE.Vector3();
    this.arrows.begin(n);
    for (let c = 0; c < n; ++c) {
      f.set(contacts.force[c], contacts.force[n + c], contacts.force[2 * n + c]).multiplyScalar(contacts.unit);
      const force = f.length();
      if (!(force > 0)) continue;
      const share = force / this.reference;
      this.point(contacts, c, frame, place, shortest, x);
      let thick;
      if (this.mode === 'chains') {
        from.copy(x); to.copy(x);
        if (contacts.b[c] >= 0 && b.kind[contacts.b[c]] === 0) place(frame, contacts.b[c], from);
        if (contacts.a[c] >= 0 && b.kind[contacts.a[c]] === 0) shortest(place(frame, contacts.a[c], to).sub(x)).add(x);
        thick = 0.3 * this.scale * this.size * Math.min(2, Math.sqrt(share));
      } else {
        const length = this.scale * this.length * Math.min(2.5, share);
        from.copy(x); to.copy(x).addScaledVector(f, length / force);
        thick = 0.035 * this.scale * this.length * Math.min(1.2, Math.sqrt(share));
      }
      if (from.distanceTo(to) < 1e-12 * this.size) continue;
      this.arrows.add(from, to, thick, this.mode === 'arrows', this.colours[contacts.status[c]] ?? this.colours[0]);
    }
    this.arrows.end();
  }
}
