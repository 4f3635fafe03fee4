// Scenes of the browser tests; small, but for one.

export const GRAVITY = 10, HEIGHT = 2, SPEED = 1;

// Falls freely from z = 2 with vx = 1 until t = 0.4; steps of 0.01 s, so that z is known.
export const fall = `clack: 1
title: Falling <ball> & "floor" </script>
system:
  type: rigid-bodies
  gravity: [0, 0, -${GRAVITY}]
  materials: {stone: {density: 2000}}
  bodies:
    - {name: floor, shape: plane, fixed: true}
    - {name: ball, shape: {sphere: {radius: 0.2}}, position: [-0.4, 0, ${HEIGHT}], velocity: [${SPEED}, 0, 0]}
    - {name: stone, shape: {box: {size: [0.3, 0.3, 0.3]}}, position: [0.8, 0, 0.15]}
simulation: {step: 0.01, end: 1.5}
`;

export const shapes = `clack: 1
title: All shapes of space
system:
  type: rigid-bodies
  gravity: [0, 0, -9.81]
  materials: {a: {density: 1000}, b: {density: 2000}}
  cell: {period: [6, 0, 0]}
  bodies:
    - {name: floor, shape: plane, fixed: true, material: a}
    - {name: sphere, shape: {sphere: {radius: 0.2}}, position: [0.5, 0, 3], material: a, velocity: [14, 0, 0]}
    - {name: capsule, shape: {capsule: {radius: 0.1, length: 0.3}}, position: [1, 0, 1], material: b}
    - {name: cylinder, shape: {cylinder: {radius: 0.1, length: 0.3}}, position: [1.5, 0, 1], material: b}
    - {name: can, shape: {cylinder: {radius: 0.1, length: 0.3, rounding: 0.03}}, position: [2, 0, 1], material: b}
    - {name: cone, shape: {cone: {radius: 0.15, height: 0.3, rounding: 0.02}}, position: [2.5, 0, 1], material: b}
    - {name: box, shape: {box: {size: [0.2, 0.3, 0.2], rounding: 0.05}}, position: [3, 0, 1], material: a}
    - {name: hull, shape: {polyhedron: {points: [[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.3]]}}, position: [3.5, 0, 1], material: a}
    - {name: hill, shape: {height-field: {points: [5, 5], spacing: [0.2, 0.2], height: "0.1*sin(5*x)*cos(5*y)"}}, position: [2, 1, 0.2], fixed: true, material: a}
    - {name: cross, shape: {compound: [{shape: {box: {size: [0.4, 0.1, 0.1]}}}, {shape: {box: {size: [0.1, 0.4, 0.1]}}}, {shape: {sphere: {radius: 0.1}}, position: [0.25, 0, 0]}]}, position: [4, 0, 1], material: b}
    - {name: late, shape: {sphere: {radius: 0.15}}, position: [4.5, 0, 1], born: 0.1, removed: 0.3, material: a}
    - {name: paddle, shape: {box: {size: [0.1, 1, 0.4]}}, position: [0.2, 0, 0.3], driven: {velocity: [0.5, 0, 0]}, material: b}
simulation: {step: 0.005, end: 0.5}
solver: {tolerance: 1.0e-4}
output: {every: 5}
measures: [{name: height, unit: m, of: sphere_z}]
`;

export const plane = `clack: 1
title: All shapes of the plane
system:
  type: rigid-bodies
  space: 2d
  gravity: [0, -9.81]
  materials: {a: {density: 1000, mu: 0.5}}
  bodies:
    - {name: ground, shape: line, fixed: true}
    - {name: wall, shape: {segment: {start: [0, 0], end: [0, 1]}}, position: [-1, 0], fixed: true}
    - {name: bar, shape: {segment: {start: [0, 0], end: [0, 1], rounding: 0.05}}, position: [3, 0], fixed: true}
    - {name: disc, shape: {disc: {radius: 0.2}}, position: [0, 0.3]}
    - {name: pill, shape: {capsule: {radius: 0.1, length: 0.4}}, position: [1, 0.3]}
    - {name: gon, shape: {polygon: {points: [[0, 0], [0.4, 0], [0.2, 0.4]], rounding: 0.03}}, position: [2, 0.3]}
    - {name: pair, shape: {compound: [{shape: {disc: {radius: 0.1}}, position: [-0.15, 0]}, {shape: {disc: {radius: 0.1}}, position: [0.15, 0]}]}, position: [0.2, 1]}
simulation: {step: 0.005, end: 0.5}
solver: {tolerance: 1.0e-6}
`;

// A weight of 2 kg hangs at rest under a cart that drives at 0.5 m/s: the pin is at (0.3 + t/2, 0) and
// carries 2 GRAVITY. `bodies` says which of them is the second one.
export const hanging = (bodies) => `clack: 1
title: Weight under a cart
system:
  type: rigid-bodies
  space: 2d
  gravity: [0, -${GRAVITY}]
  materials: {stone: {density: 2000}}
  bodies:
    - {name: cart, shape: {disc: {radius: 0.15}}, position: [0, 0], driven: {velocity: [0.5, 0]}}
    - {name: weight, shape: {disc: {radius: 0.15}}, mass: 2, position: [0.3, -1], velocity: [0.5, 0]}
  joints:
    - {name: pin, kind: revolute, bodies: [${bodies}], point: [0.3, 0]}
simulation: {step: 0.01, end: 1}
`;

// Every kind of joint in space, each between the ground and a box of its own.
const KINDS = ['fixed', 'revolute', 'prismatic', 'cylindrical', 'universal', 'spherical', 'planar', 'screw', 'line', 'plane',
  'distance', 'rope', 'orientation', 'surface', 'bushing'];
const AXES = { universal: 'axes: [[0, 0, 1], [1, 0, 0]]', screw: 'axis: [1, 0, 0], pitch: 0.1', surface: 'surfaces: z + 0.3*x^2', fixed: '', spherical: '',
  distance: '', rope: '', orientation: '', bushing: 'spring: [{coordinate: z, stiffness: 500}]' };
const placed = (kind, x) => ({ distance: `points: [[${x}, 0, 1], [${x}, 0, 0.1]]`, rope: `points: [[${x}, 0, 1], [${x}, 0, 0.1]]`, orientation: '' })[kind] ?? `point: [${x}, 0, 0.1]`;
export const allJoints = `clack: 1
title: All joints of space
system:
  type: rigid-bodies
  gravity: [0, 0, -9.81]
  materials: {steel: {density: 1000}}
  bodies:
${KINDS.map((kind, i) => `    - {name: ${kind} box, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [${0.6 * i}, 0, 0]}`).join('\n')}
  joints:
${KINDS.map((kind, i) => `    - {${[`name: ${kind} joint`, `kind: ${kind}`, `bodies: [ground, ${kind} box]`, placed(kind, 0.6 * i), AXES[kind] ?? 'axis: [1, 0, 0]'].filter(Boolean).join(', ')}}`).join('\n')}
simulation: {step: 0.005, end: 0.3}
`;
export const jointCount = KINDS.length;

export const system = `clack: 1
title: Ball on a table
parameters: {m: 1, g: 9.81}
system:
  type: linear
  coordinates: [x, y]
  M: [[m, 0], [0, m]]
  f: [0, -m*g]
  contacts:
    - {name: "table, left", G: [0, 1], T: [[1, 0]], mu: 0.3, e_n: 0.5}
initial: {q: [0, 1], v: [1, 0]}
simulation: {step: 0.01, end: 2}
measures: [{name: highest, unit: m, of: y, take: max}]
`;

export const thousand = `clack: 1
title: A thousand spheres
parameters: {d: 0.02, w: 0.2}
system:
  type: rigid-bodies
  gravity: [0, 0, -9.81]
  materials: {glass: {density: 2500, mu: 0.4}}
  bodies:
    - {name: floor, shape: plane, fixed: true}
    - {name: west, shape: {plane: {normal: [1, 0, 0]}}, fixed: true}
    - {name: east, shape: {plane: {normal: [-1, 0, 0], offset: -w}}, fixed: true}
    - {name: south, shape: {plane: {normal: [0, 1, 0]}}, fixed: true}
    - {name: north, shape: {plane: {normal: [0, -1, 0], offset: -w}}, fixed: true}
    - {name: ball, sample: {random-packing: {box: [[0, 0, 0], [w, w, 4*w]], sizes: {uniform: [0.8*d, 1.2*d]}, count: 1000}}}
simulation: {step: 2.0e-3, end: 1}
solver: {tolerance: 1.0e-2}
`;

export const hundredThousand = `clack: 1
title: A hundred thousand spheres
parameters: {d: 0.01}
system:
  type: rigid-bodies
  gravity: [0, 0, -9.81]
  materials: {glass: {density: 2500, mu: 0.4, e_n: 0.5}}
  bodies:
    - {name: floor, shape: plane, fixed: true}
    - {name: ball, velocity: [0.1, 0, 0], sample: {lattice: {count: [100, 100, 10], spacing: 1.4*d, origin: [0, 0, 2*d], jitter: 0.001, sizes: {uniform: [0.8*d, d]}}}}
simulation: {step: 1.0e-3, end: 0.049}
solver: {tolerance: 1.0e-3}
`;

// Systems with periodic orbits: a forced oscillator against a stop with e = 0.8, damping 0.1 1/s; two
// masses of which the second meets an elastic stop at 1.
export const stop = `clack: 1
title: Forced oscillator with a stop
parameters: {z: 0.05, F: 1, W: 1.6, g: 0, e: 0.8}
system:
  type: linear
  coordinates: [x]
  M: [[1]]
  C: [[2*z]]
  K: [[1]]
  f: [F*cos(W*t)]
  contacts:
    - {name: stop, G: [-1], g0: g, e_n: e}
initial: {q: [-0.5]}
simulation: {scheme: event-driven, step: 0.1, end: 10}
`;

export const masses = `clack: 1
title: Two masses
system:
  type: linear
  coordinates: [x1, x2]
  M: [[1, 0], [0, 1]]
  K: [[2, -1], [-1, 1]]
  contacts:
    - {name: stop, G: [0, -1], g0: 1, e_n: 1}
initial: {q: [0, 0]}
simulation: {scheme: event-driven, step: 0.1, end: 10}
`;
