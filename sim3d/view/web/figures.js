// Minis, their contacts and forces, and everything that is marked: made anew for each moment, moved along its tracks.

const FORCE = new THREE.Color().setRGB(0.86, 0.2, 0.16, "srgb");
const WEIGHT = new THREE.Color().setRGB(0.98, 0.78, 0.1, "srgb");
const CARRIED = new THREE.Color().setRGB(0.1, 0.42, 0.86, "srgb");

function plain(colour, alpha, more) {
  const c = Array.isArray(colour) ? new THREE.Color().setRGB(...colour, "srgb") : colour;
  const see = alpha < 1 ? { transparent: true, opacity: alpha, depthWrite: false } : {};
  return new THREE.MeshBasicMaterial({ color: c, side: THREE.DoubleSide, ...see, ...more });
}

function line(points, colour, alpha = 1) {
  const made = new THREE.BufferGeometry().setFromPoints(points.map((p) => new THREE.Vector3(...p)));
  const c = Array.isArray(colour) ? new THREE.Color().setRGB(...colour, "srgb") : colour;
  return new THREE.Line(made, new THREE.LineBasicMaterial({ color: c, transparent: alpha < 1, opacity: alpha }));
}

// A way as a thin flat-sided rod that is seen from everywhere: lines have no width on most machines.
function rod(a, b, radius, colour, { arrow = false, alpha = 1 } = {}) {
  const from = new THREE.Vector3(...a), to = new THREE.Vector3(...b), along = to.clone().sub(from), long = along.length();
  const group = new THREE.Group();
  if (long < 1e-3) return group;
  const head = arrow ? Math.min(0.4 * long, 4.5 * radius) : 0;
  const ring = (r0, r1, z0, z1) => {
    const place = [], n = 8;
    for (let i = 0; i < n; i++) {
      const [s, t] = [(2 * Math.PI * i) / n, (2 * Math.PI * (i + 1)) / n];
      const p = (r, angle, z) => [r * Math.cos(angle), r * Math.sin(angle), z];
      place.push(...p(r0, s, z0), ...p(r0, t, z0), ...p(r1, t, z1), ...p(r0, s, z0), ...p(r1, t, z1), ...p(r1, s, z1));
    }
    const made = new THREE.BufferGeometry();
    made.setAttribute("position", new THREE.BufferAttribute(new Float32Array(place), 3));
    return new THREE.Mesh(made, plain(colour, alpha));
  };
  group.add(ring(radius, radius, 0, long - head));
  if (arrow) group.add(ring(2.4 * radius, 0, long - head, long));
  group.position.copy(from);
  group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), along.normalize());
  return group;
}

function ball(at, radius, colour, more) {
  const made = new THREE.Mesh(new THREE.SphereGeometry(radius, 16, 12), plain(colour, 1, more));
  made.position.set(...at);
  return made;
}

// A flat polygon at a height, seen on the ground and faintly through what is over it.
function polygon(ring, high, colour, alpha) {
  const outline = ring.map(([x, y]) => new THREE.Vector2(x, y));
  const place = new Float32Array(ring.flatMap(([x, y, z]) => [x, y, z ?? high]));
  const made = new THREE.BufferGeometry();
  made.setAttribute("position", new THREE.BufferAttribute(place, 3));
  made.setIndex(THREE.ShapeUtils.triangulateShape(outline, []).flat());
  const group = new THREE.Group();
  const on = { polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2 };
  group.add(new THREE.Mesh(made, plain(colour, alpha, on)));
  const through = new THREE.Mesh(made, plain(colour, alpha * 0.25, { depthTest: false }));
  through.renderOrder = 2;
  group.add(through);
  const border = [...ring, ring[0]].map(([x, y, z]) => [x, y, (z ?? high) + 0.1]);
  group.add(line(border, colour));
  return group;
}

const SHAPES = new Map();
function shape(index) {
  if (!SHAPES.has(index)) SHAPES.set(index, geometry(DATA.meshes[index]));
  return SHAPES.get(index);
}

// One mini: base and body in a group that moves; what was found about it lies in its resting pose.
function figure(told) {
  const group = new THREE.Group();
  const { base, body } = DATA.minis[told.mini];
  const paint = (colour) => {
    const see = told.word ? { transparent: true, opacity: told.rests ? 0.8 : 0.6 } : {}; // so that what carries it is seen
    return new THREE.MeshLambertMaterial({ color: new THREE.Color().setRGB(...colour, "srgb"), side: THREE.DoubleSide, ...see });
  };
  for (const [index, colour] of [[base, DATA.base_colour], [body, told.colour]]) {
    const made = new THREE.Mesh(shape(index), paint(colour));
    made.castShadow = made.receiveShadow = true;
    made.userData.figure = told.name;
    group.add(made);
  }
  return group;
}

function pose(group, place, spin) {
  group.position.set(place[0], place[1], place[2]);
  group.quaternion.set(spin[1], spin[2], spin[3], spin[0]);
  group.updateMatrixWorld(true); // a click may come before the next picture
}

function contacts(told) {
  const group = new THREE.Group();
  if (told.support.length > 2) group.add(polygon(told.support, 0, CARRIED, 0.42));
  for (const force of told.forces) {
    group.add(ball(force.place, 0.9, FORCE, { depthTest: false }));
    if (force.share > 0.005) group.add(rod(force.place, force.tip, 0.55, FORCE, { arrow: true }));
  }
  if (told.word) {
    group.add(rod(told.com, told.ground_point, 0.3, WEIGHT));
    group.add(ball(told.com, 1.5, WEIGHT, { depthTest: false }), ball(told.ground_point, 0.8, WEIGHT, { depthTest: false }));
  }
  for (const one of group.children) one.renderOrder = 3;
  return group;
}

// Where a track is at a time: the poses either side of it, mixed.
function along(motion, t) {
  const { times, poses } = motion;
  let a = 0, b = times.length - 1;
  if (t <= times[0]) return poses.subarray(0, 7);
  if (t >= times[b]) return poses.subarray(7 * b, 7 * b + 7);
  while (b - a > 1) { const m = (a + b) >> 1; if (times[m] <= t) a = m; else b = m; }
  const s = (t - times[a]) / (times[b] - times[a] || 1), made = new Float32Array(7);
  const p = poses.subarray(7 * a, 7 * a + 7), q = poses.subarray(7 * b, 7 * b + 7);
  let same = 0;
  for (let i = 3; i < 7; i++) same += p[i] * q[i];
  for (let i = 0; i < 7; i++) made[i] = p[i] + s * ((i > 2 && same < 0 ? -q[i] : q[i]) - p[i]);
  const size = Math.hypot(made[3], made[4], made[5], made[6]);
  for (let i = 3; i < 7; i++) made[i] /= size;
  return made;
}

// A moment as it is seen: groups by layer, and a way to put its figures where they are at a time.
class Scenery {
  constructor(moment) {
    this.moment = moment;
    this.layers = new Map();
    this.figures = new Map();
    for (const told of moment.figures) {
      const group = figure(told);
      pose(group, told.place, told.spin);
      this.figures.set(told.name, { told, group });
      this.layer("minis").add(group);
      const found = contacts(told);
      if (found.children.length) {
        this.layer("contacts").add(found);
        this.figures.get(told.name).contacts = found;
      }
    }
    for (const area of moment.areas) {
      for (const ring of area.rings) this.layer(area.layer).add(polygon(ring, area.height_mm + 0.3, area.colour, area.alpha));
    }
    for (const way of moment.ways) {
      for (let i = 1; i < way.points.length; i++) this.layer(way.layer).add(rod(way.points[i - 1], way.points[i], 0.7, way.colour));
    }
    for (const hex of moment.hexes >= 0 ? DATA.hexes[moment.hexes] : []) this.hex(hex);
    this.motions = moment.motions.map((m) => ({ figure: m.figure, times: array(m.times), poses: array(m.poses) }));
    this.lasts = Math.max(0, ...this.motions.map((m) => m.times[m.times.length - 1]));
  }

  layer(name) {
    if (!this.layers.has(name)) this.layers.set(name, new THREE.Group());
    return this.layers.get(name);
  }

  hex(hex) {
    const high = (hex.height_mm ?? 0) + 0.5, ring = hex.corners;
    const middle = [0, 1].map((k) => ring.reduce((sum, p) => sum + p[k], 0) / ring.length);
    const inner = ring.map((p) => p.map((v, k) => middle[k] + 0.97 * (v - middle[k])));
    const layer = this.layer("hexes");
    layer.add(polygon(inner, high, hex.colour || [1, 1, 1], hex.colour ? 0.4 : 0.1));
    if (!hex.standable) for (const [a, b] of [[0, 3], [1, 4]]) layer.add(rod([...inner[a], high], [...inner[b], high], 0.5, [0.8, 0.24, 0.22]));
    for (const side of hex.walls) {
      const [a, b] = [ring[(side + 5) % 6], ring[side]];
      layer.add(rod([...a, high + 1], [...b, high + 1], 1.4, [0.16, 0.17, 0.2]));
    }
    if (hex.zones.length) {
      const small = ring.map((p) => p.map((v, k) => middle[k] + 0.86 * (v - middle[k])));
      this.layer("zones").add(polygon(small, high + 0.4, [0.55, 0.22, 0.55], 0.22));
    }
  }

  // Put everybody where they are `t` seconds into the moment.
  at(t) {
    for (const motion of this.motions) {
      const one = this.figures.get(motion.figure);
      if (!one) continue;
      const p = along(motion, t);
      pose(one.group, p.subarray(0, 3), p.subarray(3));
      const off = Math.hypot(p[0] - one.told.place[0], p[1] - one.told.place[1], p[2] - one.told.place[2]);
      const turned = 1 - Math.abs(p[3] * one.told.spin[0] + p[4] * one.told.spin[1] + p[5] * one.told.spin[2] + p[6] * one.told.spin[3]);
      if (one.contacts) one.contacts.visible = off < 0.5 && turned < 1e-4; // they are those of its rest
    }
  }
}
