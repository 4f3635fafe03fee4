// Very many balls: each a square that faces the camera, on which the shader draws a ball, with the
// depth, the light and the two shades of octants that the meshes of few balls have.
import * as THREE from 'three';

const vertexShader = `
  varying vec2 spot;
  varying vec3 centre, tint, axisX, axisY, axisZ;
  varying float radius;
  void main() {
    mat4 m = modelViewMatrix * instanceMatrix;
    centre = m[3].xyz;
    radius = length(instanceMatrix[0].xyz);
    axisX = m[0].xyz; axisY = m[1].xyz; axisZ = m[2].xyz;
    tint = instanceColor;
    spot = position.xy;
    gl_Position = projectionMatrix * vec4(centre + vec3(radius * position.xy, 0.0), 1.0);
  }`;

const fragmentShader = `
  uniform mat4 projectionMatrix;
  uniform vec3 sun;
  varying vec2 spot;
  varying vec3 centre, tint, axisX, axisY, axisZ;
  varying float radius;
  void main() {
    float inside = 1.0 - dot(spot, spot);
    if (inside < 0.0 || radius == 0.0) discard;
    vec3 normal = vec3(spot, sqrt(inside));
    vec4 place = projectionMatrix * vec4(centre + radius * normal, 1.0);
    gl_FragDepth = 0.5 * place.z / place.w + 0.5;
    float octant = dot(normal, axisX) * dot(normal, axisY) * dot(normal, axisZ);
    float shade = octant > 0.0 ? 1.0 : 0.8;
    float light = 0.42 + 0.12 * normal.y + 0.6 * max(0.0, dot(normal, sun));
    gl_FragColor = vec4(tint * shade * light, 1.0);
    #include <colorspace_fragment>
  }`;

export function impostorMesh(count) {
  const material = new THREE.ShaderMaterial({ vertexShader, fragmentShader, uniforms: { sun: { value: new THREE.Vector3() } } });
  const mesh = new THREE.InstancedMesh(new THREE.PlaneGeometry(2, 2), material, count);
  mesh.onBeforeRender = (renderer, scene, camera) => {
    material.uniforms.sun.value.set(1, -1.5, 2.5).transformDirection(camera.matrixWorldInverse);
  };
  return mesh;
}
