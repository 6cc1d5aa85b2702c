// Terrain and standing maps: meshes with creased normals, and a material on which a map lies at its own height.

const CREASE = Math.cos((34 * Math.PI) / 180); // faces that bend less are shaded as one surface
const NOWHERE = 65535; // a height of a map that there is none of
const EMPTY = new THREE.DataArrayTexture(new Uint8Array(4), 1, 1, 1); // a map of nothing, so that there always is one
EMPTY.needsUpdate = true;
const MAP = {
  uLayers: { value: 0 }, uMask: { value: 0 }, uMap: { value: EMPTY }, uGrid: { value: new THREE.Vector4() },
  uShape: { value: new THREE.Vector2() }, uHigh: { value: new THREE.Vector2() }, uNear: { value: 2 },
  uWords: { value: DATA.words.map(() => new THREE.Vector4()) }, uBarely: { value: new THREE.Color() }, uUnreached: { value: 0 },
};

// Corners of a mesh as it was packed: sixteen bits along each side of its box.
function corners(mesh) {
  const packed = array(mesh.corners), made = new Float32Array(packed.length);
  for (let i = 0; i < packed.length; i++) made[i] = mesh.low[i % 3] + packed[i] * mesh.step[i % 3];
  return made;
}

// Three corners of its own for each triangle, each with the mean direction of the triangles it is smooth with.
function geometry(mesh) {
  const points = corners(mesh), faces = array(mesh.faces), count = faces.length / 3;
  const flat = new Float32Array(count * 3);
  for (let f = 0; f < count; f++) {
    const [a, b, c] = [3 * faces[3 * f], 3 * faces[3 * f + 1], 3 * faces[3 * f + 2]];
    const ux = points[b] - points[a], uy = points[b + 1] - points[a + 1], uz = points[b + 2] - points[a + 2];
    const vx = points[c] - points[a], vy = points[c + 1] - points[a + 1], vz = points[c + 2] - points[a + 2];
    flat[3 * f] = uy * vz - uz * vy; flat[3 * f + 1] = uz * vx - ux * vz; flat[3 * f + 2] = ux * vy - uy * vx;
  }
  const first = new Uint32Array(points.length / 3 + 1);
  for (const v of faces) first[v + 1]++;
  for (let v = 1; v < first.length; v++) first[v] += first[v - 1];
  const at = first.slice(), around = new Uint32Array(faces.length);
  for (let i = 0; i < faces.length; i++) around[at[faces[i]]++] = (i / 3) | 0;
  const place = new Float32Array(faces.length * 3), normal = new Float32Array(faces.length * 3);
  for (let i = 0; i < faces.length; i++) {
    const f = (i / 3) | 0, v = faces[i];
    const x = flat[3 * f], y = flat[3 * f + 1], z = flat[3 * f + 2], size = Math.hypot(x, y, z);
    let nx = 0, ny = 0, nz = 0;
    for (let k = first[v]; k < first[v + 1]; k++) {
      const g = 3 * around[k], p = flat[g], q = flat[g + 1], r = flat[g + 2];
      if (x * p + y * q + z * r >= CREASE * size * Math.hypot(p, q, r)) { nx += p; ny += q; nz += r; }
    }
    const long = Math.hypot(nx, ny, nz) || 1;
    place.set(points.subarray(3 * v, 3 * v + 3), 3 * i);
    normal[3 * i] = nx / long; normal[3 * i + 1] = ny / long; normal[3 * i + 2] = nz / long;
  }
  const made = new THREE.BufferGeometry();
  made.setAttribute("position", new THREE.BufferAttribute(place, 3));
  made.setAttribute("normal", new THREE.BufferAttribute(normal, 3));
  made.computeBoundingSphere();
  return made;
}

const DRAPE = `
#define LAYERS ${Math.max(1, ...DATA.maps.map((group) => group.layers.length))}
uniform highp sampler2DArray uMap;
uniform int uLayers, uMask;
uniform vec4 uGrid;
uniform vec2 uShape, uHigh;
uniform float uNear, uUnreached;
uniform vec4 uWords[9];
uniform vec3 uBarely;
varying vec3 vWorld;
float bumps(vec3 p) {
  vec3 i = floor(p), f = fract(p);
  f = f * f * (3.0 - 2.0 * f);
  vec4 n = vec4(i.x + 57.0 * i.y + 113.0 * i.z) + vec4(0.0, 1.0, 57.0, 58.0);
  vec4 a = fract(sin(n) * 43758.5453), b = fract(sin(n + 113.0) * 43758.5453);
  a = mix(a, b, f.z);
  return mix(mix(a.x, a.y, f.x), mix(a.z, a.w, f.x), f.y) - 0.5;
}
vec3 draped(vec3 paint) {
  paint *= 1.0 + 0.15 * bumps(vWorld / 6.0);
  if (uLayers == 0) return paint;
  vec2 cell = floor((vWorld.xy - uGrid.xy) * uGrid.z);
  if (any(lessThan(cell, vec2(0.0))) || any(greaterThanEqual(cell, uShape))) return paint;
  vec3 n = normalize(cross(dFdx(vWorld), dFdy(vWorld)));
  if (abs(n.z) < 0.3) return paint;
  for (int k = 0; k < LAYERS; k++) {
    if (k >= uLayers) break;
    if ((uMask & (1 << k)) == 0) continue;
    vec4 t = floor(texelFetch(uMap, ivec3(ivec2(cell), k), 0) * 255.0 + 0.5);
    float high = t.b * 256.0 + t.a;
    if (high > 65534.5 || abs(vWorld.z - (uHigh.x + high * uHigh.y)) > uNear) continue;
    int word = int(mod(t.r, 16.0));
    vec4 w = uWords[word];
    vec3 colour = word == 7 ? mix(uBarely, w.rgb, t.g / 255.0) : w.rgb;
    if (t.r > 15.5 && uUnreached > 0.5) {
      float stripe = step(0.5, fract((vWorld.x + vWorld.y) / 7.0));
      colour = mix(colour, vec3(0.02, 0.03, 0.06), 0.55 * stripe);
    }
    return mix(paint, colour, w.a);
  }
  return paint;
}
`;

// A matt surface in one colour, mottled, on which the map lies.
function surface(colour) {
  const made = new THREE.MeshLambertMaterial({ color: new THREE.Color().setRGB(...colour, "srgb"), side: THREE.DoubleSide });
  made.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, MAP);
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vWorld;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvWorld = (modelMatrix * vec4(transformed, 1.0)).xyz;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\n" + DRAPE)
      .replace("#include <color_fragment>", "#include <color_fragment>\ndiffuseColor.rgb = draped(diffuseColor.rgb);");
  };
  made.customProgramCacheKey = () => "draped";
  return made;
}

// All layers of one base as one texture: word, how sure, and the height it lies at in two bytes.
class Sheet {
  constructor(group) {
    this.group = group;
    const [ny, nx] = group.shape, many = group.layers.length, bytes = new Uint8Array(4 * nx * ny * many);
    this.layers = group.layers.map((layer, k) => {
      const one = { words: array(layer.words), high: array(layer.surface), numbers: {} };
      for (const name of Object.keys(layer.numbers)) one.numbers[name] = array(layer.numbers[name]);
      for (let i = 0; i < nx * ny; i++) {
        const o = 4 * (k * nx * ny + i), tip = one.numbers.tip_deg[i] * 0.01;
        bytes[o] = one.words[i];
        bytes[o + 1] = 255 * Math.min(1, Math.max(0, (tip - DATA.nudge_deg) / (DATA.sure_deg - DATA.nudge_deg)));
        bytes[o + 2] = one.high[i] >> 8;
        bytes[o + 3] = one.high[i] & 255;
      }
      return one;
    });
    this.texture = new THREE.DataArrayTexture(bytes, nx, ny, many);
    this.texture.format = THREE.RGBAFormat;
    this.texture.type = THREE.UnsignedByteType;
    this.texture.minFilter = this.texture.magFilter = THREE.NearestFilter;
    this.texture.unpackAlignment = 4;
    this.texture.needsUpdate = true;
  }

  // What the map says at a point of the terrain, of the layers that are shown; null where it says nothing.
  at(x, y, z, mask) {
    const g = this.group, [ny, nx] = g.shape;
    const i = Math.round(x / g.pitch) - g.first[0], j = Math.round(y / g.pitch) - g.first[1];
    if (i < 0 || j < 0 || i >= nx || j >= ny) return null;
    const n = j * nx + i;
    let best = null; // the ground there, or the underside of what rests there: over an edge these are not the same
    this.layers.forEach((layer, k) => {
      if (!(mask & (1 << k))) return;
      const heights = [layer.high[n], layer.numbers.height_mm[n]].filter((high) => high !== NOWHERE);
      const off = Math.min(...heights.map((high) => Math.abs(z - (g.low + high * g.step))));
      if (off <= Math.max(2 * near(g), 6) && (!best || off < best.off)) best = { off, layer, k };
    });
    if (!best) return null;
    const numbers = {};
    for (const [name, values] of Object.entries(best.layer.numbers)) {
      if (values[n] !== NOWHERE) numbers[name] = name === "height_mm" ? g.low + values[n] * g.step : values[n] * 0.01;
    }
    const word = best.layer.words[n];
    return {
      word: DATA.words[word & 15].word, colour: DATA.words[word & 15].colour, unreached: word > 15, numbers,
      at: [(g.first[0] + i) * g.pitch, (g.first[1] + j) * g.pitch], level: g.layers[best.k].level, base: g.base, name: g.layers[best.k].name,
    };
  }

  lay(mask, shown) {
    const g = this.group;
    MAP.uMap.value = this.texture;
    MAP.uLayers.value = g.layers.length;
    MAP.uMask.value = mask;
    MAP.uGrid.value.set((g.first[0] - 0.5) * g.pitch, (g.first[1] - 0.5) * g.pitch, 1 / g.pitch, 0);
    MAP.uShape.value.set(g.shape[1], g.shape[0]);
    MAP.uHigh.value.set(g.low, g.step);
    MAP.uNear.value = near(g);
    MAP.uWords.value = DATA.words.map(({ word, colour }) => {
      const c = new THREE.Color().setRGB(...colour, "srgb");
      return new THREE.Vector4(c.r, c.g, c.b, shown(word) ? (word === "off-table" ? 0.35 : 0.82) : 0);
    });
    MAP.uBarely.value.setRGB(...DATA.barely, "srgb");
  }
}

// How far from its height a map is still painted on a surface: half a cell on 45 degrees, and what was simplified.
function near(group) {
  return 0.8 + 0.75 * group.pitch + DATA.off_mm;
}
