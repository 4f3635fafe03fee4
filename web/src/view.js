// The picture of the bodies: camera, light, what is drawn at the time cursor, picking.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { Bodies } from './bodies.js';
import { Contacts } from './contacts.js';
import { Joints } from './joints.js';
import { Surroundings } from './surroundings.js';
import { css, okabeIto, lineColour } from './colours.js';

const MANY_TRAILS = 300;

export class View {
  constructor(run, player, canvas, first) {
    this.run = run;
    this.player = player;
    this.canvas = canvas;
    this.planar = run.head.dimension === 2;
    this.wrap = run.head.period.some((p) => p > 0);
    this.trails = 'picked';
    this.listeners = [];
    this.chooseCell(first);

    // The picture must still be there when the page is printed.
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.scene = new THREE.Scene();
    this.bodies = new Bodies(run, first);
    this.scene.add(this.bodies.group);
    this.box = this.fitBox(first);
    this.size = this.box.getSize(new THREE.Vector3()).length() / 2 || 1;
    this.surroundings = new Surroundings(run, this.box);
    this.scene.add(this.surroundings.group);
    const thickness = Math.max(0.004 * this.size, this.typical((i) => this.bodies.thicknessOf(i)));
    const arrow = Math.max(0.12 * this.size, Math.min(0.3 * this.size, 4 * thickness));
    this.contacts = new Contacts(this.bodies, thickness, arrow);
    this.contacts.reference = this.referenceForce();
    this.joints = new Joints(run, this.bodies, thickness, this.size, arrow);
    this.scene.add(this.contacts.group, this.joints.group, this.joints.forces);
    this.trailGroup = new THREE.Group();
    this.scene.add(this.trailGroup);
    this.addLight();
    this.addCamera();
    this.resize();
    this.resetCamera();
    new ResizeObserver(() => { this.resize(); this.draw(); }).observe(canvas.parentElement);
    this.listenToClicks();
  }

  onPick(listener) { this.listeners.push(listener); }

  // The corner of the periodic cell: so that the bodies lie in it at the start where they can.
  chooseCell(first) {
    const { period } = this.run.head, n = first.n;
    this.run.cellCorner = period.map((p, axis) => {
      if (!(p > 0)) return this.planar && axis === 2 ? 0 : -Infinity;
      let low = Infinity, high = -Infinity;
      for (let i = 0; i < n; ++i) {
        if (this.run.bodies.kind[i] !== 0) continue;
        const x = first.position[axis * n + i] * first.step;
        low = Math.min(low, x); high = Math.max(high, x);
      }
      if (low >= 0 && high <= p) return 0;
      if (low >= -p / 2 && high <= p / 2) return -p / 2;
      return low;
    });
  }

  // The drawn centre of a body: moved back into the periodic cell where that is wanted.
  place = (frame, i, out) => {
    const { n, step, position } = frame;
    out.set(position[i] * step, position[n + i] * step, position[2 * n + i] * step);
    if (this.wrap && this.run.bodies.kind[i] === 0) this.moveIntoCell(out);
    return out;
  };
  moveIntoCell(x) {
    const { period, shear_rate: rate, shear_normal: normal } = this.run.head, corner = this.run.cellCorner;
    if (rate && normal) {
      const axis = 'xyz'[normal], images = Math.floor((x[axis] - corner[normal]) / period[normal]);
      const offset = rate * period[normal] * (this.player.time - this.player.times[0]);
      x[axis] -= images * period[normal];
      x.x -= images * offset;
    }
    for (let k = 0; k < 3; ++k) {
      if (!(period[k] > 0) || (rate && k === normal)) continue;
      const axis = 'xyz'[k];
      x[axis] -= Math.floor((x[axis] - corner[k]) / period[k]) * period[k];
    }
  }
  // A distance to the nearest image.
  shortest = (d) => {
    const { period, shear_rate: rate, shear_normal: normal } = this.run.head;
    const round = (k) => { // in which cell it ends
      const axis = 'xyz'[k], images = period[k] > 0 ? Math.round(d[axis] / period[k]) : 0;
      d[axis] -= images * period[k];
      return images;
    };
    if (rate && normal) d.x -= round(normal) * rate * period[normal] * (this.player.time - this.player.times[0]);
    for (let k = 0; k < 3; ++k) round(k);
    return d;
  };

  // The median over the free bodies.
  typical(measure) {
    const sizes = this.freeBodies().map(measure).sort((a, b) => a - b);
    return sizes[sizes.length >> 1] || this.size / 20;
  }

  // An impulse that is large, but not the blow of one impact.
  referenceForce() {
    const largest = this.run.curve('force');
    const sorted = Float32Array.from(largest ?? []).filter((x) => x > 0).sort();
    return sorted[sorted.length >> 1] || 1;
  }

  // What the camera looks at: free bodies now and then, and those that are not much larger.
  fitBox(first) {
    const box = new THREE.Box3(), x = new THREE.Vector3(), b = this.run.bodies;
    const wide = (i) => { this.place(first, i, x); const r = this.bodies.radiusOf(i);
      box.expandByPoint(x.clone().addScalar(r)); box.expandByPoint(x.clone().addScalar(-r)); };
    for (let i = 0; i < b.count; ++i) if (b.kind[i] === 0 && this.bodies.isPresent(i, this.player.times[0])) wide(i);
    if (box.isEmpty()) for (let i = 0; i < b.count; ++i) if (this.bodies.radiusOf(i) > 0) wide(i);
    if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
    const size = box.getSize(new THREE.Vector3()).length();
    for (let i = 0; i < b.count; ++i)
      if (b.kind[i] !== 0 && this.bodies.radiusOf(i) > 0 && this.bodies.radiusOf(i) < 1.5 * size &&
          box.distanceToPoint(this.place(first, i, x)) < size) wide(i);
    this.addAnchors(box, first, size);
    if (this.planar) { box.min.z = 0; box.max.z = 0; }
    return box;
  }
  // Points of joints where they are not far, with room for arrows, and what is fixed or driven there.
  addAnchors(box, first, size) {
    const b = this.run.bodies, points = [], centre = new THREE.Vector3(), { n, rotation: r } = first;
    for (let i = 0; i < (b.joint_names ?? []).length; ++i) {
      const body = b.joint_a[i], x = new THREE.Vector3().fromArray(b.joint_frame_a, 12 * i);
      if (body >= 0) x.applyQuaternion(new THREE.Quaternion(r[n + body], r[2 * n + body], r[3 * n + body], r[body]).normalize()).add(this.place(first, body, centre));
      if (box.distanceToPoint(x) < 3 * size) points.push([x, 0]);
      for (const other of [body, b.joint_b[i]])
        if (other >= 0 && b.kind[other] !== 0 && this.bodies.radiusOf(other) < size) points.push([this.place(first, other, new THREE.Vector3()), this.bodies.radiusOf(other)]);
    }
    for (const [x] of points) box.expandByPoint(x);
    const room = 0.07 * box.getSize(new THREE.Vector3()).length();
    for (const [x, radius] of points) box.union(new THREE.Box3(x.clone(), x.clone()).expandByScalar(Math.max(room, radius)));
  }
  // Later positions of free bodies, as far as most of them go.
  widenBox(frames) {
    const free = this.freeBodies();
    if (!free.length) return;
    for (const frame of frames) this.includeBodies(frame, free);
    this.size = this.box.getSize(new THREE.Vector3()).length() / 2;
    this.scene.remove(this.surroundings.group);
    this.surroundings = new Surroundings(this.run, this.box);
    this.scene.add(this.surroundings.group);
    this.joints.resize(this.size);
    this.updateJoints();
    if (!this.moved) this.resetCamera(); // not under the hands of somebody
  }
  includeBodies(frame, free) {
    const x = new THREE.Vector3();
    for (let axis = 0; axis < (this.planar ? 2 : 3); ++axis) {
      const values = free.map((i) => this.place(frame, i, x).getComponent(axis)).sort((p, q) => p - q);
      const margin = this.typical((i) => this.bodies.radiusOf(i));
      const low = values[Math.floor(0.03 * values.length)] - margin;
      const high = values[Math.min(values.length - 1, Math.ceil(0.97 * values.length))] + margin;
      this.box.min.setComponent(axis, Math.min(this.box.min.getComponent(axis), low));
      this.box.max.setComponent(axis, Math.max(this.box.max.getComponent(axis), high));
    }
  }

  addLight() {
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8d8d99, 1.6));
    const sun = new THREE.DirectionalLight(0xffffff, 1.9);
    sun.position.set(1, -1.5, 2.5);
    this.scene.add(sun);
  }

  addCamera() {
    this.camera = this.planar ? new THREE.OrthographicCamera() : new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
    this.camera.up.set(0, this.planar ? 1 : 0, this.planar ? 0 : 1);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableRotate = !this.planar;
    this.controls.zoomToCursor = true;
    if (this.planar) {
      this.controls.mouseButtons.LEFT = THREE.MOUSE.PAN;
      this.controls.touches.ONE = THREE.TOUCH.PAN;
    }
    this.controls.addEventListener('start', () => { this.moved = true; });
    this.controls.addEventListener('change', () => this.draw());
  }

  // Looks along a direction, everything in view.
  resetCamera(direction = new THREE.Vector3(0.45, -0.85, 0.38)) {
    const centre = this.box.getCenter(new THREE.Vector3()), half = this.box.getSize(new THREE.Vector3()).multiplyScalar(0.5);
    this.controls.target.copy(centre);
    if (this.planar) {
      this.camera.position.set(centre.x, centre.y, 10 * this.size);
      this.camera.near = 0.1 * this.size;
      this.camera.far = 100 * this.size;
      this.camera.zoom = 1;
      this.halfView = [1.08 * half.x, 1.08 * half.y];
    } else {
      const away = direction.clone().normalize();
      const right = new THREE.Vector3().crossVectors(this.camera.up, away);
      if (right.lengthSq() < 1e-6) right.set(1, 0, 0);
      right.normalize();
      const above = new THREE.Vector3().crossVectors(away, right);
      const tan = Math.tan(this.camera.fov * Math.PI / 360);
      let distance = 0;
      for (let k = 0; k < 8; ++k) { // every corner of the box in the frustum
        const corner = half.clone().multiply(new THREE.Vector3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1));
        const depth = corner.dot(away);
        distance = Math.max(distance, depth + Math.abs(corner.dot(above)) / tan,
          depth + Math.abs(corner.dot(right)) / (tan * this.camera.aspect));
      }
      this.camera.position.copy(centre).addScaledVector(away, 1.06 * distance);
      this.camera.near = distance / 500;
      this.camera.far = 200 * distance;
    }
    this.resize();
    this.controls.update();
    this.draw();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (!width || !height) return;
    this.renderer.setSize(width, height, false);
    if (this.planar) {
      const [x, y] = this.halfView ?? [1, 1], aspect = width / height;
      const half = Math.max(y, x / aspect) || 1;
      Object.assign(this.camera, { left: -half * aspect, right: half * aspect, top: half, bottom: -half });
    } else this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.render(); });
  }
  render() {
    this.scene.background = new THREE.Color(css('--stage'));
    this.renderer.render(this.scene, this.camera);
    this.drawn = this.shown;
    for (const listener of this.listeners) listener('drawn');
  }

  // In the plane: a round length and how many pixels it takes.
  scaleBar() {
    const perPixel = (this.camera.right - this.camera.left) / this.camera.zoom / this.canvas.clientWidth;
    const power = 10 ** Math.floor(Math.log10(120 * perPixel));
    const length = [5, 2, 1].map((m) => m * power).find((l) => l <= 120 * perPixel);
    return { length, pixels: length / perPixel };
  }

  changeTheme() {
    this.surroundings.build(this.box);
    this.joints.recolour();
    this.updateJoints();
    this.draw();
  }
  updateJoints() {
    if (this.frame) this.joints.update(this.frame, this.player.times[this.shown], this.place, this.wrap ? this.shortest : (d) => d);
  }

  // Shows the frame of the cursor; of several that were asked for meanwhile only the last.
  async show() {
    const k = this.player.index;
    this.wanted = k;
    let frame = this.run.peekFrame(k), contacts = null;
    if (!frame) frame = await this.run.frame(k);
    if (this.wanted !== k) return;
    const forces = this.contacts.mode !== 'off' || this.bodies.picked >= 0;
    if (forces) contacts = await this.run.contacts(k);
    if (this.wanted !== k) return;
    let holder = frame; // positions that belong to the contacts
    if (contacts && contacts.k !== k) holder = await this.run.frame(contacts.k);
    if (this.wanted !== k) return;
    this.frame = frame;
    this.shownContacts = contacts;
    this.shown = k;
    this.bodies.update(frame, this.player.times[k], this.place);
    if (this.bodies.colourBy === 'speed') this.bodies.updateColours(frame, this.fastest(frame));
    this.contacts.update(contacts, holder, this.place, this.shortest);
    this.updateJoints();
    for (const line of this.trailGroup.children) line.geometry.setDrawRange(0, k + 1);
    this.draw();
    for (const listener of this.listeners) listener('frame');
  }

  // The largest speed so far, so that colours of one film can be compared.
  fastest(frame) {
    for (let i = 0; i < frame.n; ++i) {
      if (this.run.bodies.kind[i] !== 0) continue;
      const v = Math.hypot(frame.velocity[i], frame.velocity[frame.n + i], frame.velocity[2 * frame.n + i]) * frame.velocityStep;
      if (v > (this.topSpeed ?? 0)) this.topSpeed = v;
    }
    return this.topSpeed || 1;
  }

  repaint() { if (this.frame) this.bodies.updateColours(this.frame, this.fastest(this.frame)); this.draw(); }

  listenToClicks() {
    let down = null;
    this.canvas.addEventListener('pointerdown', (e) => { down = [e.clientX, e.clientY]; });
    this.canvas.addEventListener('pointerup', (e) => {
      if (!down || Math.hypot(e.clientX - down[0], e.clientY - down[1]) > 5) return;
      const rect = this.canvas.getBoundingClientRect();
      this.pickAt((e.clientX - rect.left) / rect.width, (e.clientY - rect.top) / rect.height);
    });
  }
  pickAt(x, y) {
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(2 * x - 1, 1 - 2 * y), this.camera);
    this.pick(this.bodies.pick(ray));
  }
  async pick(body) {
    this.bodies.picked = body;
    this.repaint();
    await this.show();
    await this.updateTrails();
    for (const listener of this.listeners) listener('pick');
  }

  // Where a point of space is on the canvas [CSS pixels from its corner].
  project(x, y, z) {
    const p = new THREE.Vector3(x, y, z).project(this.camera);
    return [(p.x + 1) / 2 * this.canvas.clientWidth, (1 - p.y) / 2 * this.canvas.clientHeight];
  }

  freeBodies() {
    const out = [];
    for (let i = 0; i < this.run.bodies.count; ++i) if (this.run.bodies.kind[i] === 0) out.push(i);
    return out;
  }
  get canTrailAll() { return this.freeBodies().length <= MANY_TRAILS; }
  async updateTrails() {
    const list = this.trails === 'all' && this.canTrailAll ? this.freeBodies()
      : this.trails !== 'off' && this.bodies.picked >= 0 ? [this.bodies.picked] : [];
    for (const line of this.trailGroup.children) line.geometry.dispose();
    this.trailGroup.clear();
    if (!list.length) { this.draw(); return; }
    const histories = await this.run.history(list);
    histories.forEach(({ x }, j) => {
      const frames = x[0].length, points = new Float32Array(3 * frames);
      for (let k = 0; k < frames; ++k) points.set([x[0][k], x[1][k], x[2][k]], 3 * k);
      const geometry = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(points, 3));
      geometry.setDrawRange(0, (this.shown ?? 0) + 1);
      const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: list.length === 1 ? okabeIto.vermillion : lineColour(j) }));
      line.frustumCulled = false;
      this.trailGroup.add(line);
    });
    this.draw();
  }
}
