// The page itself: a stage that draws, answers clicks and plays the story.

const GREY = [0.42, 0.43, 0.45];
const SEVERITY = { error: [0.8, 0.24, 0.22], warning: [0.93, 0.66, 0.14], info: [0.2, 0.5, 0.8], hint: [0.45, 0.5, 0.55] };
const HOLD_S = 0.9; // a moment is looked at this long after its motions
const CLOSE_MM = 350; // a table larger than this is too large to see one mini on it

// Whether pictures are computed without a graphics card: then they are a little plainer, and come soon all the same.
function bySoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const named = gl && gl.getExtension("WEBGL_debug_renderer_info");
  return Boolean(named) && /swiftshader|llvmpipe|software/i.test(gl.getParameter(named.UNMASKED_RENDERER_WEBGL));
}

class Stage {
  constructor() {
    this.canvas = document.getElementById("view");
    this.plainer = bySoftware();
    this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: !this.plainer, alpha: true });
    this.renderer.setPixelRatio(this.plainer ? 1 : Math.min(2, window.devicePixelRatio));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = this.plainer ? THREE.BasicShadowMap : THREE.PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false;
    this.renderer.localClippingEnabled = true;
    this.scene = new THREE.Scene();
    this.orbit = new Orbit(this.canvas, () => this.draw());
    this.orbit.clicked = (x, y) => this.ask(x, y);
    this.ground = [];
    this.sheets = new Map();
    this.plane = new THREE.Plane(new THREE.Vector3(0, 0, -1), 1e9);
    this.marked = new THREE.Group();
    this.found = new THREE.Group();
    this.scene.add(this.marked, this.found);
    this.lights();
    this.terrain();
    this.findings();
    new ResizeObserver(() => this.resized()).observe(this.canvas);
    this.resized();
    this.home();
  }

  lights() {
    const [low, high] = [DATA.low, DATA.high], size = Math.hypot(...high.map((h, k) => h - low[k])) || 100;
    const sky = new THREE.HemisphereLight(0xdde8f5, 0x8a7f70, 1.55);
    sky.position.set(0, 0, 1);
    const sun = new THREE.DirectionalLight(0xfff1dc, 2.35);
    const middle = low.map((v, k) => (v + high[k]) / 2);
    sun.position.set(middle[0] - 0.55 * size, middle[1] - 0.4 * size, middle[2] + 0.85 * size);
    sun.target.position.set(...middle);
    sun.castShadow = true;
    sun.shadow.mapSize.setScalar(this.plainer ? 1024 : 2048);
    const c = sun.shadow.camera;
    [c.left, c.right, c.bottom, c.top, c.near, c.far] = [-0.56 * size, 0.56 * size, -0.56 * size, 0.56 * size, 1, 2.4 * size];
    sun.shadow.normalBias = size / 1600;
    sun.shadow.bias = -0.0006;
    const rim = new THREE.DirectionalLight(0xbcd0ff, 0.5);
    rim.position.set(0.6, 0.8, 0.35);
    this.scene.add(sky, sun, sun.target, rim);
  }

  terrain() {
    for (const piece of DATA.pieces) {
      const material = surface(piece.colour);
      const made = new THREE.Mesh(shape(piece.mesh), material);
      pose(made, piece.place, piece.spin);
      made.castShadow = made.receiveShadow = true;
      made.userData.piece = piece.name;
      if (piece.name !== "table") material.clippingPlanes = [this.plane];
      this.scene.add(made);
      this.ground.push(made);
      made.updateMatrixWorld();
    }
    this.renderer.shadowMap.needsUpdate = true;
  }

  findings() {
    for (const finding of DATA.findings) {
      for (const [x, y, z] of finding.places) {
        const pin = new THREE.Group();
        const high = 0.035 * Math.max(120, Math.min(600, DATA.high[0] - DATA.low[0]));
        pin.add(rod([x, y, z], [x, y, z + high], high / 26, SEVERITY[finding.severity] || GREY), ball([x, y, z + high], high / 6, SEVERITY[finding.severity] || GREY));
        this.found.add(pin);
      }
    }
  }

  sheet(base) {
    if (!this.sheets.has(base)) this.sheets.set(base, new Sheet(DATA.maps[base]));
    return this.sheets.get(base);
  }

  // The picture's middle is that of what no text lies over.
  resized() {
    const [w, h] = [this.canvas.clientWidth || 1, this.canvas.clientHeight || 1];
    const dock = document.getElementById("dock"), below = dock.hidden ? 0 : dock.offsetHeight, free = Math.max(0.4 * h, h - below);
    this.renderer.setSize(w, h, false);
    this.orbit.free = free / h;
    this.orbit.camera.aspect = w / h;
    this.orbit.camera.setViewOffset(w, h, 0, (h - free) / 2, w, h);
    this.orbit.place();
  }

  home() {
    [this.orbit.round, this.orbit.high] = [-Math.PI / 3, 0.66];
    this.orbit.show(DATA.low, DATA.high);
  }

  plan() {
    [this.orbit.round, this.orbit.high] = [-Math.PI / 2, Math.PI / 2];
    this.orbit.show(DATA.low, DATA.high);
  }

  // Nearer to a place, as seen from where the camera is.
  near(place, size) {
    this.orbit.target.set(...place);
    this.orbit.far = Math.min(this.orbit.far, size);
    this.orbit.place();
  }

  cut(high) {
    this.plane.constant = high === null ? 1e9 : high;
    this.draw();
  }

  set(scenery) {
    if (this.shown) for (const group of this.shown.layers.values()) this.scene.remove(group);
    this.shown = scenery;
    for (const group of scenery.layers.values()) this.scene.add(group);
    this.names();
    this.moved();
  }

  moved() {
    this.renderer.shadowMap.needsUpdate = true;
    this.draw();
  }

  // Names hang over minis, words where they were put.
  names() {
    const minis = [...this.shown.figures.values()].map((one) => ({ one, tag: make("span", {}, one.told.name) }));
    const words = this.shown.moment.words.map((word) => ({ at: word.at, tag: make("span", {}, word.text) }));
    this.labels = [...minis, ...words];
    document.getElementById("names").replaceChildren(...this.labels.map((label) => label.tag));
  }

  draw() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => { this.asked = false; this.render(); });
  }

  render() {
    if (this.panel && this.shown) {
      for (const [name, group] of this.shown.layers) group.visible = this.panel.shows(name);
      this.found.visible = this.panel.shows("findings");
    }
    this.renderer.render(this.scene, this.orbit.camera);
    this.lay((this.labels || []).filter((label) => this.put(label)));
    this.drawn = (this.drawn || 0) + 1;
  }

  // Where a label belongs, and how far that is from the eye; whether it is seen.
  put(label) {
    const { one, at } = label;
    let place = at;
    if (one) {
      const top = new THREE.Vector3(0, 0, one.told.height_mm + 3).applyMatrix4(one.group.matrixWorld);
      place = [top.x, top.y, Math.max(top.z, one.group.position.z + 3)];
    }
    const [x, y, ahead] = this.project(...place);
    const seen = ahead && this.panel.shows("names") && (!one || this.panel.shows("minis"));
    label.tag.style.display = seen ? "" : "none";
    label.x = x;
    label.y = y;
    label.far = this.orbit.camera.position.distanceToSquared(new THREE.Vector3(...place));
    return seen;
  }

  // Who the moment is about is named first, then who is near: a name that would cover another one is left out.
  lay(labels) {
    const focus = this.shown && this.shown.moment.focus, laid = [];
    const first = (label) => (label.one && label.one.told.name === focus ? -1 : label.far);
    for (const label of labels.sort((a, b) => first(a) - first(b))) {
      label.size ||= [label.tag.offsetWidth, label.tag.offsetHeight];
      const [wide, tall] = label.size;
      const free = laid.every((l) => Math.abs(l.x - label.x) >= (l.size[0] + wide) / 2 || Math.abs(l.y - label.y) >= (l.size[1] + tall) / 2);
      if (free) laid.push(label);
      label.tag.style.visibility = free ? "" : "hidden";
      label.tag.style.left = `${label.x}px`;
      label.tag.style.top = `${label.y}px`;
    }
  }

  // Where a place is seen, in pixels of the canvas, and whether it is before the camera.
  project(x, y, z) {
    const p = new THREE.Vector3(x, y, z).project(this.orbit.camera);
    return [((p.x + 1) / 2) * this.canvas.clientWidth, ((1 - p.y) / 2) * this.canvas.clientHeight, p.z < 1 && p.z > -1];
  }

  // What is at a point of the window.
  ask(clientX, clientY) {
    const box = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector2(((clientX - box.left) / box.width) * 2 - 1, 1 - ((clientY - box.top) / box.height) * 2);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.orbit.camera);
    const minis = this.shown && this.panel.shows("minis") ? [...this.shown.figures.values()].flatMap((one) => one.group.children) : [];
    const hit = ray.intersectObjects([...this.ground, ...minis], false).find(({ object, point }) =>
      object.userData.figure || object.userData.piece === "table" || point.z <= this.plane.constant);
    this.marked.clear();
    if (!hit) this.card(null);
    else if (hit.object.userData.figure) this.card(this.tellFigure(hit.object.userData.figure));
    else this.card(this.tellPlace(hit.point, hit.object.userData.piece));
    this.draw();
  }

  tellFigure(name) {
    const { told } = this.shown.figures.get(name);
    const head = told.word ? make("span", { class: "word", colour: css(told.colour) }, told.word) : make("b", {}, told.name);
    const numbers = told.numbers.map(([label, number, unit]) => [label, `${number}${unit}`]);
    const place = `at ${told.place.map((v) => v.toFixed(1)).join(", ")} mm`;
    return [head, `${told.name}, ${told.about}, ${place}`, told.why, numbers];
  }

  tellPlace(point, piece) {
    const where = `${piece} at ${point.x.toFixed(0)}, ${point.y.toFixed(0)}, ${point.z.toFixed(0)} mm`;
    const hexes = this.shown && this.shown.moment.hexes >= 0 && this.panel.shows("hexes") ? DATA.hexes[this.shown.moment.hexes] : [];
    const hex = hexes.filter((one) => inside(one.corners, point.x, point.y)).sort((a, b) => Math.abs((a.height_mm ?? 1e9) - point.z) - Math.abs((b.height_mm ?? 1e9) - point.z))[0];
    if (hex) return [make("b", {}, `hex ${hex.name}`), where, hex.about, []];
    const base = this.panel.base ?? -1;
    const cell = base >= 0 ? this.sheet(base).at(point.x, point.y, point.z, this.panel.mask) : null;
    if (!cell) return [make("b", {}, piece), where, DATA.maps.length ? "The map says nothing about this surface: no base has its middle here." : "", []];
    this.ring(cell);
    const said = { piece, ...Object.fromEntries(Object.entries(cell.numbers).map(([k, v]) => [k, v.toFixed(1)])) };
    const why = (DATA.why[cell.word] || "").replace(/\{(\w+)\}/g, (_, key) => said[key] ?? "?") + (cell.unreached ? " Nobody gets up here on foot." : "");
    const numbers = DATA.map_numbers.filter(([key]) => key in cell.numbers).map(([key, label, unit]) => [label, `${cell.numbers[key].toFixed(2)}${unit}`]);
    const at = cell.at.map((v) => +v.toFixed(3)).join(", ");
    return [make("span", { class: "word", colour: css(cell.colour) }, cell.word), `base ${cell.base} with its middle at ${at}, ${cell.name}`, why, numbers];
  }

  // The outline of the base where it was asked about, and a pin.
  ring(cell) {
    const high = cell.numbers.height_mm ?? 0, outline = DATA.maps[this.panel.base].outline;
    const points = outline.map(([x, y]) => [x + cell.at[0], y + cell.at[1], high + 0.8]);
    this.marked.add(polygon(points, 0, cell.colour, 0.35));
    this.marked.add(rod([cell.at[0], cell.at[1], high], [cell.at[0], cell.at[1], high + 24], 0.5, cell.colour), ball([cell.at[0], cell.at[1], high + 24], 2.2, cell.colour));
  }

  card(told) {
    const card = document.getElementById("card");
    card.hidden = !told;
    if (!told) { this.marked.clear(); this.draw(); return; }
    const [head, where, why, numbers] = told;
    const rows = numbers.map(([label, text]) => make("div", {}, make("dt", {}, label), make("dd", {}, text)));
    card.replaceChildren(
      make("div", { class: "head" }, head), make("p", { class: "where" }, where), make("p", { class: "why" }, why), make("dl", { class: "numbers" }, ...rows),
      make("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => this.card(null) }, "×"));
  }

  visit(finding) {
    const size = 0.5 * Math.max(200, Math.min(700, this.orbit.size));
    this.near(finding.places[0].slice(0, 3), size);
    this.card([make("span", { class: "word", colour: css(SEVERITY[finding.severity] || GREY) }, finding.severity), `${finding.piece} · ${finding.code}`, finding.message,
      finding.places.map((p, i) => [`place ${i + 1}`, p.slice(0, 3).map((v) => v.toFixed(1)).join(", ")])]);
  }
}

function inside(ring, x, y) {
  let within = false;
  for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
    const [[a, b], [c, d]] = [ring[i], ring[j]];
    if (b > y !== d > y && x < ((c - a) * (y - b)) / (d - b) + a) within = !within;
  }
  return within;
}
