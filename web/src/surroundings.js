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
    for (const { body, numbers } of this.run.bodies.unbounded) this.addHalfSpace(body, numbers, centre, box);
    const period = this.run.head.period;
    if (period.some((p) => p > 0)) this.addCell(period, box);
    if (!this.run.bodies.unbounded.length && !this.planar) {
      const floor = grid(2.5 * this.size, this.spacing, css('--grid'), 0.35);
      const x = (v) => Math.round(v / this.spacing) * this.spacing;
      floor.position.set(x(centre.x), x(centre.y), box.min.z - 0.002 * this.size);
      this.group.add(floor);
    }
  }

  // Fixed, so its pose is that of the first frame.
  addHalfSpace(body, numbers, centre, box) {
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
    else if (normal.z > 0.5) this.addGround(foot, normal);
    else this.addWall(foot, normal, box);
  }

  addGround(foot, normal) {
    const half = 3 * this.size, plane = new THREE.Group();
    const quad = new THREE.Mesh(new THREE.PlaneGeometry(2 * half, 2 * half),
      new THREE.MeshBasicMaterial({ color: css('--ground'), polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2 }));
    const lines = grid(half, this.spacing, css('--grid'), 0.5);
    quad.renderOrder = -2;
    lines.renderOrder = -1;
    plane.add(quad, lines);
    if (normal.z > 0.999) { // lines on round numbers
      foot.x = Math.round(foot.x / this.spacing) * this.spacing;
      foot.y = Math.round(foot.y / this.spacing) * this.spacing;
    }
    plane.position.copy(foot);
    plane.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
    this.group.add(plane);
  }

  // As far as the bodies go; seen from the inside only.
  addWall(foot, normal, box) {
    const half = box.getSize(new THREE.Vector3()).multiplyScalar(0.5);
    const across = new THREE.Vector3(0, 0, 1).cross(normal);
    if (across.lengthSq() < 1e-6) across.set(1, 0, 0);
    across.normalize();
    const along = normal.clone().cross(across);
    const reach = (axis) => Math.abs(axis.x) * half.x + Math.abs(axis.y) * half.y + Math.abs(axis.z) * half.z;
    const shape = new THREE.PlaneGeometry(2 * reach(across), 2 * reach(along));
    const wall = new THREE.Group().add(
      new THREE.Mesh(shape, new THREE.MeshBasicMaterial({ color: css('--wall'), transparent: true, opacity: 0.16, depthWrite: false })),
      new THREE.LineSegments(new THREE.EdgesGeometry(shape), new THREE.LineBasicMaterial({ color: css('--grid') })));
    wall.position.copy(foot);
    wall.quaternion.setFromRotationMatrix(new THREE.Matrix4().makeBasis(across, along, normal));
    this.group.add(wall);
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

  addCell(period, box) {
    const corner = this.run.cellCorner, low = box.min.toArray(), size = box.getSize(new THREE.Vector3()).toArray();
    const sides = period.map((p, k) => (p > 0 ? p : size[k]));
    const cell = new THREE.LineSegments(new THREE.EdgesGeometry(new THREE.BoxGeometry(...sides)), new THREE.LineBasicMaterial({ color: okabeIto.green }));
    cell.position.set(...sides.map((side, k) => (period[k] > 0 ? corner[k] : low[k]) + side / 2));
    this.group.add(cell);
  }
}
