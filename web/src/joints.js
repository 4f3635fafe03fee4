// Joints at their places as they move with their bodies, and their reactions as arrows on body B.
import * as THREE from 'three';
import { Arrows } from './arrows.js';
import { css, reactionColour } from './colours.js';

// What is drawn: links that cannot break hold like joints (docs/theory/joints.md).
const LINKS = { glue: 'fixed', wire: 'rope' };

// The frame of a joint in a body: a point, and axes by columns.
function frameAt(numbers, i) {
  const v = (k) => new THREE.Vector3().fromArray(numbers, 12 * i + k);
  return { point: v(0), turn: new THREE.Quaternion().setFromRotationMatrix(new THREE.Matrix4().makeBasis(v(3), v(6), v(9))) };
}

// Instances of one shape: solid where nothing is before them, faint where they are inside a body.
class Pile {
  constructor(group, geometry, capacity, planar) {
    const Material = planar ? THREE.MeshBasicMaterial : THREE.MeshLambertMaterial;
    this.solid = new THREE.InstancedMesh(geometry, new Material({ depthTest: !planar, transparent: planar }), capacity);
    this.solid.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    this.solid.setColorAt(0, new THREE.Color(1, 1, 1));
    this.meshes = [this.solid];
    if (!planar) {
      this.faint = new THREE.InstancedMesh(geometry, new Material({ depthTest: false, depthWrite: false, transparent: true, opacity: 0.3 }), capacity);
      this.faint.instanceMatrix = this.solid.instanceMatrix;
      this.faint.instanceColor = this.solid.instanceColor;
      this.meshes.push(this.faint);
    }
    this.meshes.forEach((mesh, k) => { mesh.frustumCulled = false; mesh.renderOrder = 5 + k; });
    group.add(...this.meshes);
    this.matrix = new THREE.Matrix4();
    this.size = new THREE.Vector3();
  }
  begin() { this.count = 0; }
  add(place, turn, x, y, z, colour) {
    this.solid.setMatrixAt(this.count, this.matrix.compose(place, turn, this.size.set(x, y, z)));
    this.solid.setColorAt(this.count++, colour);
  }
  end() {
    for (const mesh of this.meshes) mesh.count = this.count;
    this.solid.instanceMatrix.needsUpdate = true;
    this.solid.instanceColor.needsUpdate = true;
  }
}

export class Joints {
  // thickness: of a typical body, size: of the picture, length: of an arrow of a usual reaction [m].
  constructor(run, bodies, thickness, size, length) {
    Object.assign(this, { run, bodies, thickness, length, size, scale: 1, planar: run.head.dimension === 2 });
    this.group = new THREE.Group();
    this.forces = new THREE.Group();
    this.shown = true;
    this.reactions = false;
    const b = run.bodies, names = b.joint_names ?? [];
    this.list = names.map((name, i) => this.measure({ name, kind: this.kindOf(b.joint_kinds[i]), a: b.joint_a[i], b: b.joint_b[i],
      frameA: frameAt(b.joint_frame_a, i), frameB: frameAt(b.joint_frame_b, i),
      x: new THREE.Vector3(), y: new THREE.Vector3(), turnA: new THREE.Quaternion(), turnB: new THREE.Quaternion() }));
    if (!this.list.length) return;
    const most = 4 * this.list.length, cylinder = new THREE.CylinderGeometry(1, 1, 1, 24).rotateX(Math.PI / 2);
    this.boxes = new Pile(this.group, new THREE.BoxGeometry(1, 1, 1), most, this.planar);
    this.rods = this.planar ? null : new Pile(this.group, cylinder, most, false);
    this.balls = new Pile(this.group, this.planar ? new THREE.CircleGeometry(1, 32) : new THREE.SphereGeometry(1, 24, 16), most, this.planar);
    if (this.planar) this.balls.solid.renderOrder = 6;
    this.arrows = new Arrows(this.forces);
    this.metal = new THREE.Color();
    this.hole = new THREE.Color();
    this.arrowColour = new THREE.Color(reactionColour);
    this.recolour();
    this.reference = this.usualForce();
  }

  kindOf(kind) { return kind === 'hinge' ? (this.planar ? 'revolute' : 'spherical') : LINKS[kind] ?? kind; }

  // Radius of its pin and half the length of it, so that it shows at its bodies without hiding them.
  measure(joint) {
    const sizes = [joint.a, joint.b].filter((i) => i >= 0).map((i) => this.bodies.thicknessOf(i)).filter((s) => s > 0 && s < this.size);
    const thin = Math.min(...sizes, Infinity), thick = Math.max(...sizes, 0);
    const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
    joint.pin = clamp(0.6 * (thin < Infinity ? thin : this.thickness), 0.012 * this.size, (this.planar ? 0.024 : 0.018) * this.size);
    joint.half = clamp(1.25 * (thick || this.thickness), 1.6 * joint.pin, 0.07 * this.size);
    return joint;
  }

  resize(size) {
    this.size = size;
    for (const joint of this.list) this.measure(joint);
  }

  recolour() {
    if (!this.list.length) return;
    this.metal.set(css('--joint'));
    this.hole.set(css('--card'));
  }

  // A reaction that is large, but not the blow of one impact: the median of each row's largest.
  usualForce() {
    const curves = this.run.group('reaction_force').map((c) => c.values), rows = [];
    if (!curves.length) return 0;
    for (let k = 0; k < curves[0].length; ++k) {
      let most = 0;
      for (const values of curves) if (values[k] > most) most = values[k];
      if (most > 0) rows.push(most);
    }
    return Float32Array.from(rows).sort()[rows.length >> 1] || 0;
  }

  // Of its end in one body: the point and the turning of its axes.
  end(frame, body, own, place, x, turn) {
    x.copy(own.point);
    turn.copy(own.turn);
    if (body < 0) return;
    const { n, rotation: r } = frame;
    this.spin ??= new THREE.Quaternion();
    this.centre ??= new THREE.Vector3();
    this.spin.set(r[n + body], r[2 * n + body], r[3 * n + body], r[body]).normalize();
    x.applyQuaternion(this.spin).add(place(frame, body, this.centre));
    turn.premultiply(this.spin);
  }

  // `shortest` makes a difference of positions that of the nearest images.
  update(frame, t, place, shortest) {
    this.group.visible = this.shown && this.list.length > 0;
    this.forces.visible = this.reactions && this.list.length > 0 && Boolean(frame.reaction);
    if (!this.group.visible && !this.forces.visible) return;
    const present = (i) => i < 0 || this.bodies.isPresent(i, t);
    for (const joint of this.list) {
      joint.present = present(joint.a) && present(joint.b);
      this.end(frame, joint.a, joint.frameA, place, joint.x, joint.turnA);
      this.end(frame, joint.b, joint.frameB, place, joint.y, joint.turnB);
      joint.y.copy(shortest(joint.y.sub(joint.x)).add(joint.x));
    }
    if (this.group.visible) this.draw();
    if (this.forces.visible) this.drawForces(frame);
  }

  draw() {
    const piles = [this.boxes, this.rods, this.balls].filter(Boolean);
    for (const pile of piles) pile.begin();
    for (const joint of this.list) if (joint.present) this.drawOne(joint);
    for (const pile of piles) pile.end();
  }

  drawOne(j) {
    switch (j.kind) {
      case 'revolute': if (this.planar) this.ring(j.x, j.pin); else this.rod(j.x, j.turnA, j.pin, 2 * j.half); break;
      case 'spherical': this.ball(j.x, 1.3 * j.pin); break;
      case 'universal':
        this.rod(j.x, j.turnA, 0.6 * j.pin, 2 * j.half);
        this.rod(j.x, turned(j.turnB, Y, Math.PI / 2), 0.6 * j.pin, 2 * j.half); // its first axis
        break;
      case 'prismatic': this.rail(j); this.box(j.y, j.turnA, 2 * j.pin, 2 * j.pin, 3.2 * j.pin); break;
      case 'cylindrical': case 'screw':
        this.rail(j);
        this.rod(j.y, j.turnA, 1.1 * j.pin, 3.2 * j.pin);
        break;
      case 'line': this.rail(j); this.ball(j.y, 1.1 * j.pin); break;
      case 'plane': case 'planar': this.box(j.y, j.turnA, 6 * j.pin, 6 * j.pin, 0.3 * j.pin); this.ball(j.y, 0.8 * j.pin); break;
      case 'surface': this.ball(j.y, 0.8 * j.pin); break;
      case 'bushing': this.box(j.x, j.turnA, 1.6 * j.pin, 1.6 * j.pin, 1.6 * j.pin); break;
      case 'fixed': this.cross(j); break;
      case 'distance': case 'rope':
        this.bar(j.x, j.y, (j.kind === 'rope' ? 0.18 : 0.35) * j.pin);
        this.ball(j.x, 0.7 * j.pin);
        this.ball(j.y, 0.7 * j.pin);
        break;
      default: // orientation has no place
    }
  }
  box(x, turn, width, height, depth) { this.boxes.add(x, turn, width, height, depth, this.metal); }
  ball(x, radius) { this.balls.add(x, NONE, radius, radius, this.planar ? 1 : radius, this.metal); }
  ring(x, radius) {
    this.ball(x, 1.15 * radius);
    this.balls.add(x, NONE, 0.6 * radius, 0.6 * radius, 1, this.hole);
  }
  // Along the third axis.
  rod(x, turn, radius, length) {
    if (this.planar) this.box(x, turn, 2 * radius, 2 * radius, length);
    else this.rods.add(x, turn, radius, radius, length, this.metal);
  }
  bar(from, to, radius) {
    const along = to.clone().sub(from), length = along.length();
    if (length > 0) this.rod(along.clone().multiplyScalar(0.5).add(from), new THREE.Quaternion().setFromUnitVectors(Z, along.divideScalar(length)), radius, length);
  }
  // Along the axis in A, past the points of both.
  rail(j) {
    const axis = Z.clone().applyQuaternion(j.turnA), way = j.y.clone().sub(j.x).dot(axis), past = 5 * j.pin;
    const low = Math.min(0, way) - past, high = Math.max(0, way) + past;
    this.rod(j.x.clone().addScaledVector(axis, (low + high) / 2), j.turnA, 0.35 * j.pin, high - low);
  }
  cross(j) {
    const arm = 3.2 * j.pin, thin = 0.5 * j.pin;
    const turn = turned(this.planar ? NONE : j.turnA, Z, Math.PI / 4);
    this.box(j.x, turn, arm, thin, thin);
    this.box(j.x, turn, thin, arm, thin);
    if (!this.planar) this.box(j.x, turn, thin, thin, arm);
  }

  drawForces(frame) {
    const force = new THREE.Vector3(), to = new THREE.Vector3();
    this.reference ||= frame.reactionScale || 0; // of many joints there are no curves
    this.arrows.begin(this.list.length);
    this.list.forEach((j, i) => {
      const size = force.fromArray(frame.reaction, 3 * i).multiplyScalar(frame.reactionUnit).length();
      const share = size / this.reference, length = this.scale * this.length * Math.min(2.5, share);
      if (!j.present || !(share > 0.01)) return;
      to.copy(j.y).addScaledVector(force, length / size);
      this.arrows.add(j.y, to, 0.035 * this.scale * this.length * Math.min(1.2, Math.sqrt(share)), true, this.arrowColour);
    });
    this.arrows.end();
  }
}

const Y = new THREE.Vector3(0, 1, 0), Z = new THREE.Vector3(0, 0, 1), NONE = new THREE.Quaternion();
const turned = (turn, axis, angle) => turn.clone().multiply(new THREE.Quaternion().setFromAxisAngle(axis, angle));
