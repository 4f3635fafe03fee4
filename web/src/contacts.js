// Contact forces: chains from centre to centre, or arrows at the contact points, by status.
import * as THREE from 'three';
import { statusColours } from './colours.js';

const up = new THREE.Vector3(0, 1, 0);

function grow(mesh, n, geometry, material) {
  if (mesh && mesh.instanceMatrix.count >= n) return mesh;
  const next = new THREE.InstancedMesh(geometry, material, Math.max(16, Math.ceil(1.5 * n)));
  next.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
  next.frustumCulled = false;
  next.renderOrder = 10;
  next.setColorAt(0, new THREE.Color(1, 1, 1));
  mesh?.parent.add(next);
  mesh?.removeFromParent();
  mesh?.dispose();
  return next;
}

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
    this.rod = new THREE.CylinderGeometry(1, 1, 1, 8, 1, true);
    this.tip = new THREE.ConeGeometry(1, 1, 10);
    // On top of the bodies: chains run through them.
    this.material = new THREE.MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 });
    this.rods = grow(null, 1, this.rod, this.material);
    this.tips = grow(null, 1, this.tip, this.material);
    this.group.add(this.rods, this.tips);
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
    this.rods = grow(this.rods, n, this.rod, this.material);
    this.tips = grow(this.tips, n, this.tip, this.material);
    const x = new THREE.Vector3(), from = new THREE.Vector3(), to = new THREE.Vector3(), along = new THREE.Vector3();
    const middle = new THREE.Vector3(), q = new THREE.Quaternion(), matrix = new THREE.Matrix4(), s = new THREE.Vector3();
    let rods = 0, tips = 0;
    for (let c = 0; c < n; ++c) {
      const f = s.set(contacts.force[c], contacts.force[n + c], contacts.force[2 * n + c]).multiplyScalar(contacts.unit);
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
      along.subVectors(to, from);
      const length = along.length();
      if (length < 1e-12 * this.size) continue;
      q.setFromUnitVectors(up, along.divideScalar(length));
      const colour = this.colours[contacts.status[c]] ?? this.colours[0];
      const head = this.mode === 'arrows' ? Math.min(0.4 * length, 6 * thick) : 0;
      middle.copy(from).addScaledVector(along, (length - head) / 2);
      matrix.compose(middle, q, s.set(thick, length - head, thick));
      this.rods.setMatrixAt(rods, matrix);
      this.rods.setColorAt(rods++, colour);
      if (!head) continue;
      middle.copy(from).addScaledVector(along, length - head / 2);
      matrix.compose(middle, q, s.set(2.4 * thick, head, 2.4 * thick));
      this.tips.setMatrixAt(tips, matrix);
      this.tips.setColorAt(tips++, colour);
    }
    this.rods.count = rods;
    this.tips.count = tips;
    for (const mesh of [this.rods, this.tips]) {
      mesh.instanceMatrix.needsUpdate = true;
      mesh.instanceColor.needsUpdate = true;
    }
  }
}
