// What bodies lie on and in: planes and lines without end, the periodic cell, a grid.
import * as THREE from 'three';
import { css, okabeIto } from './colours.js';

function gridSpacing(size) {
  const power = 10 ** Math.floor(Math.log10(size / 4));
  return [1, 2, 5, 10].map((m) => m * power).find((s) => size / s <= 8) ?? 10 * power;
}

function grid(half, spacing, colour, opacity) {
  const lines = Math.floor(half / spacing), points = [];
  const reach = lines * spacing;
  for (let i = -lines; i <= lines; ++i) {
    points.push(i * spacing, -reach, 0, i * spacing, reach, 0, -reach, i * spacing, 0, reach, i * spacing, 0);
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(points, 3));
  return new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: colour, transparent: true, opacity, depthWrite: false }));
}

export class Surroundings {
  constructor(run, box) {
    this.run = run;
    this.group = new THREE.Group();
    this.planar = run.head.dimension === 2;
    this.size = Math.max(...box.getSize(new THREE.Vector3()).toArray());
    this.spacing = gridSpacing(this.size);
    this.build(box);
  }

  build(box) {
    this.group.clear();
    const centre = box.getCenter(new THREE.Vector3());
    for (const { body, numbers } of this.run.bodies.unbounded) this.addHalfSpace(body, numbers, centre);
    const period = this.run.head.period;
    if (period.some((p) => p > 0)) this.addCell(period);
    if (!this.run.bodies.unbounded.length && !this.planar) {
      const floor = grid(2.5 * this.size, this.spacing, css('--grid'), 0.35);
      const x = (v) => Math.round(v / this.spacing) * this.spacing;
      floor.position.set(x(centre.x), x(centre.y), box.min.z - 0.002 * this.size);
      this.group.add(floor);
    }
  }

  // Fixed, so its pose is that of the first frame.
  addHalfSpace(body, numbers, centre) {
    const frame = this.run.peekFrame(0), n = frame.n;
    const at = [0, 1, 2].map((axis) => frame.position[axis * n + body] * frame.step);
    const [w, x, y, z] = [0, 1, 2, 3].map((k) => frame.rotation[k * n + body]);
    const turn = new THREE.Quaternion(x, y, z, w).normalize();
    const planar = numbers.length === 3;
    const normal = new THREE.Vector3(numbers[0], numbers[1], planar ? 0 : numbers[2]);
    const origin = normal.clone().multiplyScalar(numbers.at(-1)).applyQuaternion(turn).add(new THREE.Vector3(...at));
    normal.applyQuaternion(turn);
    const foot = centre.clone().addScaledVector(normal, -centre.clone().sub(origin).dot(normal));
    if (planar) this.addHalfPlane(foot, normal);
    else this.addPlane(foot, normal);
  }

  addPlane(foot, normal) {
    const ground = normal.z > 0.5, half = (ground ? 3 : 1) * this.size;
    const material = ground
      ? new THREE.MeshBasicMaterial({ color: css('--ground'), polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2 })
      : new THREE.MeshBasicMaterial({ color: css('--wall'), transparent: true, opacity: 0.15, depthWrite: false });
    const plane = new THREE.Group();
    const quad = new THREE.Mesh(new THREE.PlaneGeometry(2 * half, 2 * half), material);
    quad.renderOrder = ground ? -2 : 5;
    plane.add(quad);
    if (ground) {
      const lines = grid(half, this.spacing, css('--grid'), 0.5);
      lines.renderOrder = -1;
      plane.add(lines);
      if (normal.z > 0.999) { // lines on round numbers
        foot.x = Math.round(foot.x / this.spacing) * this.spacing;
        foot.y = Math.round(foot.y / this.spacing) * this.spacing;
      }
    }
    plane.position.copy(foot);
    plane.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
    this.group.add(plane);
  }

  addHalfPlane(foot, normal) {
    const reach = 20 * this.size;
    const quad = new THREE.Mesh(new THREE.PlaneGeometry(2 * reach, reach), new THREE.MeshBasicMaterial({ color: css('--ground'), side: THREE.DoubleSide }));
    quad.position.set(0, -reach / 2, 0);
    const half = new THREE.Group().add(quad);
    half.position.copy(foot).setZ(-0.01 * this.size);
    half.rotation.z = Math.atan2(normal.y, normal.x) - Math.PI / 2;
    this.group.add(half);
  }

  addCell(period) {
    const reach = period.map((p) => p || (this.planar ? 1 : this.size));
    const open = period.map((p) => !(p > 0));
    const corner = this.run.cellCorner;
    const geometry = new THREE.EdgesGeometry(new THREE.BoxGeometry(...(this.planar ? [reach[0], reach[1], 0] : reach)));
    const cell = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: okabeIto.green }));
    cell.position.set(...corner.map((c, k) => (open[k] ? c : c + reach[k] / 2)));
    this.group.add(cell);
  }
}
