// A camera that goes round a point, z up: by mouse, touch and keys. It asks for a picture only when something changed.

class Orbit {
  constructor(canvas, changed) {
    this.camera = new THREE.PerspectiveCamera(32, 1, 1, 20000);
    this.camera.up.set(0, 0, 1);
    this.canvas = canvas;
    this.changed = changed;
    this.target = new THREE.Vector3();
    this.far = 1000;
    this.round = -Math.PI / 3;
    this.high = 0.66;
    this.pointers = new Map();
    this.clicked = () => {};
    canvas.addEventListener("pointerdown", (e) => this.down(e));
    canvas.addEventListener("pointermove", (e) => this.move(e));
    canvas.addEventListener("pointerup", (e) => this.up(e));
    canvas.addEventListener("pointercancel", (e) => this.up(e));
    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
    canvas.addEventListener("wheel", (e) => { e.preventDefault(); this.nearer(Math.exp(-e.deltaY * 0.0012)); }, { passive: false });
  }

  // Everything within two corners in view.
  show(low, high) {
    this.target.set((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2);
    const size = Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) || 50;
    const half = (this.camera.fov / 2) * (Math.PI / 180);
    const fit = Math.min(this.free || 1, this.camera.aspect);
    this.far = (0.47 * size) / Math.sin(half) / fit;
    this.size = size;
    this.place();
  }

  place() {
    this.high = Math.min(Math.PI / 2 - 1e-4, Math.max(-0.35, this.high));
    this.far = Math.min(20 * (this.size || 1000), Math.max(12, this.far));
    const flat = this.far * Math.cos(this.high);
    this.camera.position.set(flat * Math.cos(this.round), flat * Math.sin(this.round), this.far * Math.sin(this.high)).add(this.target);
    this.camera.near = Math.max(0.5, this.far / 200);
    this.camera.far = this.far + 4 * (this.size || 1000);
    this.camera.lookAt(this.target);
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    this.changed();
  }

  turn(right, up) { this.round -= right; this.high += up; this.place(); }
  nearer(times) { this.far /= times; this.place(); }

  // Along the picture, in pixels.
  along(dx, dy) {
    const scale = (2 * this.far * Math.tan((this.camera.fov / 2) * (Math.PI / 180))) / this.canvas.clientHeight;
    const e = this.camera.matrixWorld.elements;
    this.target.addScaledVector(new THREE.Vector3(e[0], e[1], e[2]), -dx * scale);
    const ahead = new THREE.Vector3(-Math.cos(this.round), -Math.sin(this.round), 0);
    const steep = Math.max(0.35, Math.sin(Math.abs(this.high)));
    this.target.addScaledVector(ahead, (dy * scale) / steep);
    this.place();
  }

  down(e) {
    this.canvas.setPointerCapture(e.pointerId);
    this.pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    if (this.pointers.size === 1) this.start = { x: e.clientX, y: e.clientY, still: true };
    else this.start.still = false;
  }

  move(e) {
    const before = this.pointers.get(e.pointerId);
    if (!before) return;
    const dx = e.clientX - before.x, dy = e.clientY - before.y;
    if (Math.hypot(e.clientX - this.start.x, e.clientY - this.start.y) > 5) this.start.still = false;
    if (this.pointers.size === 2) {
      const [a, b] = [...this.pointers.values()];
      const old = Math.hypot(a.x - b.x, a.y - b.y);
      before.x = e.clientX; before.y = e.clientY;
      const now = Math.hypot(a.x - b.x, a.y - b.y);
      this.nearer(now / Math.max(old, 1));
      this.along(dx / 2, dy / 2);
      return;
    }
    before.x = e.clientX; before.y = e.clientY;
    if (this.start.still) return;
    if (e.buttons & 2 || e.shiftKey) this.along(dx, dy);
    else this.turn(dx * 0.0065, dy * 0.0065);
  }

  up(e) {
    const click = this.pointers.size === 1 && this.start.still && e.type === "pointerup" && e.button === 0;
    this.pointers.delete(e.pointerId);
    if (click) this.clicked(e.clientX, e.clientY);
  }

  key(e) {
    const arrow = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
    if (arrow && e.shiftKey) this.along(arrow[0] * 30, arrow[1] * 30);
    else if (arrow) this.turn(-arrow[0] * 0.09, arrow[1] * 0.07);
    else if (e.key === "+" || e.key === "=") this.nearer(1.18);
    else if (e.key === "-" || e.key === "_") this.nearer(1 / 1.18);
    else return false;
    return true;
  }
}
