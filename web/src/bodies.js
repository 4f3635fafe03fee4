// The bodies as meshes: spheres and discs as instances of one, all others as a batch of surfaces.
import * as THREE from 'three';
import { toCreasedNormals } from 'three/addons/utils/BufferGeometryUtils.js';
import { impostorMesh } from './impostor.js';
import { materialColours, okabeIto, scaleColour } from './colours.js';

const CREASE = Math.PI / 6;
const MANY_BALLS = 4000; // more are drawn as impostors

// A number between 0 and 1 that belongs to i and is far from that of i + 1.
const scatter = (i) => (0.5 + 0.6180339887 * i) % 1;

// A ball with its octants in two shades, so that its turning shows.
function ballGeometry(count) {
  const geometry = new THREE.OctahedronGeometry(1, count > 1500 ? 4 : count > 200 ? 7 : 15);
  const at = geometry.attributes.position;
  const colour = new Float32Array(3 * at.count), normal = new Float32Array(3 * at.count);
  for (let i = 0; i < at.count; i += 3) {
    let product = 1;
    for (const axis of ['getX', 'getY', 'getZ']) product *= Math.sign(at[axis](i) + at[axis](i + 1) + at[axis](i + 2)) || 1;
    colour.fill(product > 0 ? 1 : 0.8, 3 * i, 3 * i + 9);
  }
  for (let i = 0; i < normal.length; ++i) normal[i] = at.array[i]; // of a unit ball
  geometry.setAttribute('color', new THREE.BufferAttribute(colour, 3));
  geometry.setAttribute('normal', new THREE.BufferAttribute(normal, 3));
  return geometry;
}

function discGeometry(count) {
  const geometry = new THREE.CircleGeometry(1, count > 20000 ? 12 : count > 2000 ? 24 : 48).toNonIndexed();
  const at = geometry.attributes.position;
  const colour = new Float32Array(3 * at.count);
  for (let i = 0; i < at.count; i += 3) {
    const y = at.getY(i) + at.getY(i + 1) + at.getY(i + 2);
    colour.fill(y > 0 ? 1 : 0.75, 3 * i, 3 * i + 9);
  }
  geometry.setAttribute('color', new THREE.BufferAttribute(colour, 3));
  return geometry;
}

// The surfaces of the bodies block, one geometry each, with sharp edges kept sharp.
function surfaceGeometries(bodies) {
  let vertex = 0, triangle = 0, line = 0;
  return bodies.surfaces.map(([vertices, triangles, lines]) => {
    const points = bodies.vertices.subarray(3 * vertex, 3 * (vertex + vertices));
    const index = bodies.triangles.subarray(3 * triangle, 3 * (triangle + triangles));
    const ends = bodies.lines.subarray(2 * line, 2 * (line + lines));
    vertex += vertices; triangle += triangles; line += lines;
    let radius = 0;
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < points.length; ++i) {
      low[i % 3] = Math.min(low[i % 3], points[i]);
      high[i % 3] = Math.max(high[i % 3], points[i]);
    }
    for (let i = 0; i < points.length; i += 3) radius = Math.max(radius, Math.hypot(points[i], points[i + 1], points[i + 2]));
    const out = { radius, low, high };
    if (triangles) {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute('position', new THREE.BufferAttribute(points, 3));
      geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(index), 1));
      out.solid = toCreasedNormals(geometry, CREASE);
    }
    if (lines) {
      const corners = new Float32Array(6 * lines);
      for (let i = 0; i < 2 * lines; ++i) corners.set(points.subarray(3 * ends[i], 3 * ends[i] + 3), 3 * i);
      out.lines = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(corners, 3));
    }
    return out;
  });
}

function batch(list, bodies, geometries, material) {
  const used = [...new Set(list.map((i) => bodies.surface[i]))].filter((s) => geometries[s].solid);
  const instances = list.filter((i) => geometries[bodies.surface[i]].solid);
  if (!instances.length) return null;
  const vertices = used.reduce((sum, s) => sum + geometries[s].solid.attributes.position.count, 0);
  const mesh = new THREE.BatchedMesh(instances.length, vertices, 0, material);
  mesh.sortObjects = material.transparent;
  mesh.perObjectFrustumCulled = false;
  mesh.frustumCulled = false;
  const place = new Map(used.map((s) => [s, mesh.addGeometry(geometries[s].solid)]));
  mesh.bodies = instances;
  mesh.slots = instances.map((i) => mesh.addInstance(place.get(bodies.surface[i])));
  mesh.bodyOf = new Map(mesh.slots.map((slot, k) => [slot, instances[k]]));
  return mesh;
}

// Compounds and meshes that bodies lie in: drums, hoppers, boxes. They are drawn see-through.
function findContainers(bodies, geometries, first, step) {
  const centre = (i, axis) => first.position[axis * first.n + i] * step;
  const free = [];
  for (let i = 0; i < bodies.count && free.length < 2000; ++i) if (bodies.kind[i] === 0) free.push(i);
  const containers = new Set();
  for (let i = 0; i < bodies.count; ++i) {
    if (bodies.kind[i] === 0 || bodies.surface[i] < 0) continue;
    if (!['compound', 'mesh'].includes(bodies.shape_kinds[bodies.shape_kind[i]])) continue;
    const { radius, low, high } = geometries[bodies.surface[i]];
    const size = Math.max(...high.map((h, k) => h - low[k])), thin = Math.min(...high.map((h, k) => h - low[k]));
    if (thin < 0.05 * size) continue; // a floor
    const inside = free.filter((j) => Math.hypot(...[0, 1, 2].map((a) => centre(j, a) - centre(i, a))) < radius).length;
    if (inside > 0.3 * free.length) containers.add(i);
  }
  return containers;
}

export class Bodies {
  constructor(run, first) {
    this.run = run;
    this.bodies = run.bodies;
    this.planar = run.head.dimension === 2;
    this.group = new THREE.Group();
    this.geometries = surfaceGeometries(this.bodies);
    this.colourBy = 'material';
    this.seeThrough = false;
    this.picked = -1;
    this.lift = new Float32Array(this.bodies.count); // in the plane: what moves lies above what does not
    const b = this.bodies, containers = findContainers(b, this.geometries, first, run.head.position_step);
    const round = [], solid = [], clear = [], lined = [];
    for (let i = 0; i < b.count; ++i) {
      if (b.radius[i] > 0) round.push(i);
      else if (b.surface[i] >= 0) {
        (containers.has(i) ? clear : solid).push(i);
        if (this.geometries[b.surface[i]].lines) lined.push(i);
      }
    }
    this.containers = containers;
    const Material = this.planar ? THREE.MeshBasicMaterial : THREE.MeshLambertMaterial;
    const side = this.planar ? THREE.DoubleSide : THREE.FrontSide;
    if (round.length) this.makeRound(round, new Material({ vertexColors: true, side }));
    this.batches = [];
    const moving = solid.filter((i) => b.kind[i] === 0), walls = solid.filter((i) => b.kind[i] !== 0);
    const glass = () => new Material({ transparent: true, opacity: 0.22, depthWrite: false, side: THREE.DoubleSide });
    this.addBatch(moving, new Material({ side }));
    this.walls = this.addBatch(walls, new Material({ side: THREE.DoubleSide }));
    this.addBatch(clear, glass());
    this.lineParts = lined.map((i) => {
      const part = new THREE.LineSegments(this.geometries[b.surface[i]].lines, new THREE.LineBasicMaterial());
      part.matrixAutoUpdate = false;
      part.body = i;
      this.group.add(part);
      return part;
    });
    this.baseColours = this.makeColours();
    this.updateColours(null);
  }

  addBatch(list, material) {
    const mesh = batch(list, this.bodies, this.geometries, material);
    if (!mesh) return null;
    this.batches.push(mesh);
    this.group.add(mesh);
    return mesh;
  }

  makeRound(list, material) {
    if (!this.planar && list.length > MANY_BALLS) this.round = impostorMesh(list.length);
    else this.round = new THREE.InstancedMesh(this.planar ? discGeometry(list.length) : ballGeometry(list.length), material, list.length);
    this.round.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    this.round.frustumCulled = false;
    this.round.bodies = list;
    this.group.add(this.round);
  }

  radiusOf(i) {
    return this.bodies.radius[i] || (this.bodies.surface[i] >= 0 ? this.geometries[this.bodies.surface[i]].radius : 0);
  }

  // Half of its least width.
  thicknessOf(i) {
    if (this.bodies.radius[i]) return this.bodies.radius[i];
    if (this.bodies.surface[i] < 0) return 0;
    const { low, high } = this.geometries[this.bodies.surface[i]];
    return Math.min(...high.slice(0, this.planar ? 2 : 3).map((h, k) => (h - low[k]) / 2));
  }

  makeColours() {
    const b = this.bodies, out = new Float32Array(3 * b.count), colour = new THREE.Color();
    for (let i = 0; i < b.count; ++i) {
      colour.set(b.kind[i] === 1 ? '#9aa0a8' : b.kind[i] === 2 ? '#7d8fa8' : materialColours[b.material[i] % materialColours.length]);
      // Neighbours of one colour would melt into each other, flat ones more than round ones.
      const shade = b.kind[i] === 0 ? 1 + (b.radius[i] ? 0.14 : 0.26) * (2 * scatter(i) - 1) : 1;
      out.set([colour.r * shade, colour.g * shade, colour.b * shade], 3 * i);
    }
    return out;
  }

  setColourBy(what) { this.colourBy = what; }

  updateColours(frame, fastest = 1) {
    const b = this.bodies, colour = new THREE.Color(), rgb = [0, 0, 0];
    const pickedColour = new THREE.Color(okabeIto.vermillion);
    const paint = (i) => {
      if (i === this.picked) return colour.copy(pickedColour);
      if (this.colourBy === 'speed' && frame && b.kind[i] === 0) {
        const n = frame.n, s = frame.velocityStep;
        const speed = Math.hypot(frame.velocity[i], frame.velocity[n + i], frame.velocity[2 * n + i]) * s;
        scaleColour(Math.sqrt(speed / fastest), rgb);
        return colour.setRGB(rgb[0], rgb[1], rgb[2], THREE.SRGBColorSpace);
      }
      return colour.fromArray(this.baseColours, 3 * i);
    };
    if (this.round) {
      this.round.bodies.forEach((i, k) => this.round.setColorAt(k, paint(i)));
      this.round.instanceColor.needsUpdate = true;
    }
    for (const mesh of this.batches) mesh.bodies.forEach((i, k) => mesh.setColorAt(mesh.slots[k], paint(i)));
    for (const part of this.lineParts) part.material.color.copy(paint(part.body));
  }

  setSeeThrough(on) {
    if (!this.walls) return;
    const { material } = this.walls;
    material.transparent = on;
    material.opacity = on ? 0.22 : 1;
    material.depthWrite = !on;
    material.needsUpdate = true;
    this.walls.sortObjects = on;
    this.seeThrough = on;
  }

  isPresent(i, t) { return t >= this.bodies.birth[i] && t < this.bodies.removal[i]; }

  // Puts the bodies where the frame has them; `place` writes the drawn centre of a body.
  update(frame, t, place) {
    const b = this.bodies, q = new THREE.Quaternion(), x = new THREE.Vector3(), matrix = new THREE.Matrix4();
    const scale = new THREE.Vector3(), one = new THREE.Vector3(1, 1, 1), gone = new THREE.Vector3(0, 0, 0);
    const n = frame.n, rotation = frame.rotation;
    const turn = (i) => q.set(rotation[n + i], rotation[2 * n + i], rotation[3 * n + i], rotation[i]).normalize();
    if (this.round) {
      this.round.bodies.forEach((i, k) => {
        place(frame, i, x);
        const r = this.isPresent(i, t) ? b.radius[i] : 0;
        matrix.compose(x, turn(i), scale.set(r, r, r));
        matrix.toArray(this.round.instanceMatrix.array, 16 * k);
      });
      this.round.instanceMatrix.needsUpdate = true;
    }
    for (const mesh of this.batches) {
      mesh.bodies.forEach((i, k) => {
        place(frame, i, x);
        mesh.setMatrixAt(mesh.slots[k], matrix.compose(x, turn(i), this.isPresent(i, t) ? one : gone));
      });
      mesh.boundingSphere = null;
    }
    for (const part of this.lineParts) {
      place(frame, part.body, x);
      part.matrix.compose(x, turn(part.body), this.isPresent(part.body, t) ? one : gone);
    }
  }

  // The body that a ray meets first; see-through ones do not count.
  pick(raycaster) {
    const hit = raycaster.intersectObjects(this.batches.filter((m) => !m.material.transparent), false)[0];
    let best = hit ? hit.object.bodyOf.get(hit.batchId) : -1, nearest = hit ? hit.distance : Infinity;
    const { origin, direction } = raycaster.ray, centre = new THREE.Vector3();
    const matrix = this.round?.instanceMatrix.array;
    this.round?.bodies.forEach((i, k) => {
      const radius = matrix[16 * k] || matrix[16 * k + 1] || matrix[16 * k + 2] ? this.bodies.radius[i] : 0;
      centre.set(matrix[16 * k + 12], matrix[16 * k + 13], matrix[16 * k + 14]).sub(origin);
      const along = centre.dot(direction), inside = radius * radius - (centre.lengthSq() - along * along);
      if (!(radius > 0) || inside < 0) return;
      const distance = along - Math.sqrt(inside);
      if (distance > 0 && distance < nearest) { nearest = distance; best = i; }
    });
    return best;
  }
}
