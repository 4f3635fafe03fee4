// Where the run's numbers come from: blocks in the page, or a server that follows a run.
// The layout of a block is in clack/io/report/block.hpp.

const MEMORY = 500e6; // bytes of unpacked frames that are kept

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).arrayBuffer();
}

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

function unpackArray(bytes, entry) {
  const { count, planes, type } = entry;
  const plane = (k) => bytes.subarray(entry.at + k * count, entry.at + (k + 1) * count);
  if (type === 'i32') {
    const out = new Int32Array(count);
    for (let k = 0; k < planes; ++k) {
      const source = plane(k);
      for (let i = 0; i < count; ++i) out[i] |= source[i] << (8 * k);
    }
    for (let i = 0; i < count; ++i) out[i] = (out[i] >>> 1) ^ -(out[i] & 1);
    return out;
  }
  const out = new Uint8Array(count * planes);
  for (let k = 0; k < planes; ++k) {
    const source = plane(k);
    for (let i = 0; i < count; ++i) out[i * planes + k] = source[i];
  }
  return type === 'f64' ? new Float64Array(out.buffer) : new Float32Array(out.buffer);
}

export async function unpack(compressed) {
  const buffer = await inflate(compressed);
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const bytes = new Uint8Array(buffer, 4 + length);
  const arrays = {};
  for (const entry of header.arrays) arrays[entry.name] = unpackArray(bytes, entry);
  return { header, arrays };
}

// A block of the page by its kind, and the head of its data.
export const pageBlock = (kind) => unpack(fromBase64(document.querySelector(`script[data-kind='${kind}']`).textContent.trim()));
export const pageHead = () => JSON.parse(document.getElementById('clack-head').textContent);

// Rows of differences become rows of values.
function sumUp(values, width, Type) {
  const out = new Type(values.length);
  for (let i = 0; i < values.length; ++i) out[i] = values[i] + (i < width ? 0 : out[i - width]);
  return out;
}

function unpackFrames(block, bodies) {
  const { header, arrays } = block;
  const spins = header.spins ? 6 : 3;
  return {
    count: header.rows.length,
    held: header.held,
    velocityStep: header.velocity_step,
    velocityWidth: spins * bodies,
    position: sumUp(arrays.position, 3 * bodies, Int32Array),
    rotation: sumUp(arrays.rotation, 4 * bodies, Int16Array),
    velocity: sumUp(arrays.velocity, spins * bodies, Int32Array),
    reaction: arrays.reaction, // of joints, in units of each row
    reactionScale: arrays.reaction_scale,
    reactionLevels: header.reaction_levels,
    bytes: bodies * header.rows.length * (12 + 8 + 4 * spins),
  };
}

function unpackContacts(block) {
  const { header, arrays } = block;
  const starts = [0];
  for (const n of arrays.count) starts.push(starts.at(-1) + n);
  return { count: header.rows.length, levels: header.levels, starts, ...arrays, counts: arrays.count,
    bytes: 40 * starts.at(-1) };
}

// Unpacked blocks by name, the ones used last.
class Cache {
  constructor(load) { this.load = load; this.held = new Map(); this.bytes = 0; }
  peek(key) { return this.held.get(key)?.value; }
  async get(key) {
    let entry = this.held.get(key);
    if (entry) { this.held.delete(key); this.held.set(key, entry); return entry.promise; }
    entry = { promise: this.load(key) };
    this.held.set(key, entry);
    try {
      entry.value = await entry.promise;
    } catch (error) { this.held.delete(key); throw error; }
    this.bytes += entry.value.bytes;
    for (const [old, other] of this.held) {
      if (this.bytes < MEMORY || old === key) break;
      if (!other.value) continue;
      this.bytes -= other.value.bytes;
      this.held.delete(old);
    }
    return entry.value;
  }
}

export class Run {
  constructor(head, blocks) {
    this.head = head;
    this.blocks = blocks; // by kind: elements of the page, or nothing
    this.live = Boolean(head.live);
    this.isWorld = head.kind === 'world';
    this.columns = head.columns;
    this.time = new Float64Array(0); // of the curves
    this.curves = head.columns.map(() => new Float32Array(0));
    this.frameCache = new Cache((key) => this.loadFrames(key));
    this.contactCache = new Cache((key) => this.loadContacts(key));
  }

  static fromPage() {
    const head = pageHead(), blocks = {};
    for (const element of document.querySelectorAll('script[data-kind]'))
      (blocks[element.dataset.kind] ??= []).push(element);
    return new Run(head, blocks);
  }

  // A packed block: of the page by its place, of the server by its points.
  async fetchBlock(kind, place, first, count) {
    if (!this.live) return unpack(fromBase64(this.blocks[kind][place].textContent.trim()));
    const query = kind === 'bodies' ? '' : `?first=${first}&count=${count}`;
    const answer = await fetch(`${kind}${query}`);
    if (!answer.ok) throw new Error(await answer.text());
    return unpack(await answer.arrayBuffer());
  }

  async loadStart() {
    await this.appendCurves();
    if (!this.isWorld) return;
    const { header, arrays } = await this.fetchBlock('bodies', 0);
    this.bodies = { ...header, ...arrays, count: this.head.bodies };
  }

  async appendCurves() {
    const have = this.time.length, want = this.head.curves.points;
    if (want <= have) return false;
    const { arrays } = await this.fetchBlock('curves', 0, have, want - have);
    const join = (a, b) => { const c = new b.constructor(a.length + b.length); c.set(a); c.set(b, a.length); return c; };
    this.time = join(this.time, arrays.time);
    this.curves = this.curves.map((old, i) => join(old, arrays[i]));
    return true;
  }

  // Asks the server for newer rows; true where there are some.
  async follow() {
    const answer = await fetch('head');
    if (!answer.ok) throw new Error(await answer.text());
    const head = await answer.json();
    if (head.rows < this.head.rows) { location.reload(); return false; } // a new run in the folder
    this.head = head;
    return this.appendCurves();
  }

  curve(group, name) {
    const i = this.columns.findIndex((c) => c.group === group && (name === undefined || c.name === name));
    return i < 0 ? null : this.curves[i];
  }
  group(group) {
    return this.columns.map((c, i) => ({ ...c, index: i })).filter((c) => c.group === group)
      .map((c) => ({ ...c, values: this.curves[c.index] }));
  }

  // Times of the frames of the player: of the bodies where there are some, else of the curves.
  get frameTimes() { return this.isWorld && !this.live ? this.head.frames.times : this.time; }

  key(kind, k) {
    const length = this.head[kind].per_block;
    const block = Math.floor(k / length);
    // A block of a run that is going on grows: its key holds how far it goes.
    const count = this.live ? Math.min(length, this.time.length - block * length) : 0;
    return `${block} ${count}`;
  }
  async loadFrames(key) {
    const [block, count] = key.split(' ').map(Number);
    return unpackFrames(await this.fetchBlock('frames', block, block * this.head.frames.per_block, count), this.head.bodies);
  }
  async loadContacts(key) {
    const [block, count] = key.split(' ').map(Number);
    return unpackContacts(await this.fetchBlock('contacts', block, block * this.head.contact_frames.per_block, count));
  }

  frameIn(block, k) {
    const n = this.head.bodies, at = k % this.head.frames.per_block, joints = 3 * this.head.joints;
    const reactionScale = block.reactionScale?.[at];
    return { n, position: block.position.subarray(at * 3 * n, (at + 1) * 3 * n),
      rotation: block.rotation.subarray(at * 4 * n, (at + 1) * 4 * n),
      velocity: block.velocity.subarray(at * block.velocityWidth, (at + 1) * block.velocityWidth),
      step: this.head.position_step, velocityStep: block.velocityStep, held: block.held,
      reaction: block.reaction?.subarray(at * joints, (at + 1) * joints), reactionScale, reactionUnit: reactionScale / block.reactionLevels };
  }
  peekFrame(k) {
    const block = this.frameCache.peek(this.key('frames', k));
    return block && this.frameIn(block, k);
  }
  async frame(k) { return this.frameIn(await this.frameCache.get(this.key('frames', k)), k); }

  // Contacts of the last frame up to k that holds some; `k` says which.
  async contacts(k) {
    const { stride, per_block: length, count } = this.head.contact_frames;
    let j = Math.floor(k / stride);
    if (!this.live && k === this.frameTimes.length - 1) j = count - 1;
    const block = await this.contactCache.get(this.key('contact_frames', j));
    const at = j % length, from = block.starts[at], n = block.counts[at];
    const part = (name, width = 1) => block[name].subarray(width * from, width * (from + n));
    return { k: Math.min(j * stride, this.frameTimes.length - 1), n, unit: block.scale[at] / block.levels,
      a: part('body_a'), b: part('body_b'), status: part('status'), point: part('point', 3),
      force: part('force', 3), gap: block.gap.length ? part('gap') : null };
  }

  // Positions and velocities of bodies over all frames: { x, v } with three arrays each, by body.
  async history(list) {
    const frames = this.frameTimes.length;
    const out = list.map(() => ({ x: [0, 1, 2].map(() => new Float32Array(frames)), v: [0, 1, 2].map(() => new Float32Array(frames)) }));
    for (let k = 0; k < frames; ++k) {
      const frame = this.peekFrame(k) ?? await this.frame(k);
      list.forEach((body, j) => {
        for (let axis = 0; axis < 3; ++axis) {
          out[j].x[axis][k] = frame.position[axis * frame.n + body] * frame.step;
          out[j].v[axis][k] = frame.velocity[axis * frame.n + body] * frame.velocityStep;
        }
      });
    }
    return out;
  }
}
