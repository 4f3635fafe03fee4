// Rods and arrows in space, drawn over everything else: what shows forces.
import * as THREE from 'three';

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

export class Arrows {
  constructor(group) {
    this.rod = new THREE.CylinderGeometry(1, 1, 1, 8, 1, true);
    this.tip = new THREE.ConeGeometry(1, 1, 10);
    // On top of the bodies: chains run through them.
    this.material = new THREE.MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 });
    this.rods = grow(null, 1, this.rod, this.material);
    this.tips = grow(null, 1, this.tip, this.material);
    group.add(this.rods, this.tips);
    this.along = new THREE.Vector3();
    this.middle = new THREE.Vector3();
    this.size = new THREE.Vector3();
    this.turn = new THREE.Quaternion();
    this.matrix = new THREE.Matrix4();
  }

  // At most n of them from now on.
  begin(n) {
    this.rods = grow(this.rods, n, this.rod, this.material);
    this.tips = grow(this.tips, n, this.tip, this.material);
    this.rods.count = this.tips.count = 0;
  }
  // With a head, or a rod from end to end.
  add(from, to, thick, hasHead, colour) {
    const { along, middle, size, turn, matrix, rods, tips } = this;
    const length = along.subVectors(to, from).length();
    if (!(length > 0)) return;
    turn.setFromUnitVectors(up, along.divideScalar(length));
    const head = hasHead ? Math.min(0.4 * length, 6 * thick) : 0;
    middle.copy(from).addScaledVector(along, (length - head) / 2);
    rods.setMatrixAt(rods.count, matrix.compose(middle, turn, size.set(thick, length - head, thick)));
    rods.setColorAt(rods.count++, colour);
    if (!head) return;
    middle.copy(from).addScaledVector(along, length - head / 2);
    tips.setMatrixAt(tips.count, matrix.compose(middle, turn, size.set(2.4 * thick, head, 2.4 * thick)));
    tips.setColorAt(tips.count++, colour);
  }
  end() {
    for (const mesh of [this.rods, this.tips]) {
      mesh.instanceMatrix.needsUpdate = true;
      mesh.instanceColor.needsUpdate = true;
    }
  }
}
