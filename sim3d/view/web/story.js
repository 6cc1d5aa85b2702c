// The story: one line of time over all moments; play, pause, step, and what is said of each moment.

class Teller {
  constructor(stage) {
    this.stage = stage;
    this.sceneries = DATA.moments.map((moment) => new Scenery(moment));
    this.starts = [];
    let t = 0;
    for (const scenery of this.sceneries) { this.starts.push(t); t += scenery.lasts + HOLD_S; }
    this.lasts = Math.max(t - 0.01, 0.01);
    this.time = 0;
    this.number = -1;
    this.element = (id) => document.getElementById(id);
    if (DATA.moments.length > 1) this.controls();
    this.go(0);
  }

  controls() {
    this.element("dock").hidden = false;
    document.body.classList.add("telling");
    const slider = this.element("time");
    slider.max = this.lasts.toFixed(2);
    slider.addEventListener("input", () => { this.pause(); this.go(Number(slider.value)); });
    this.element("play").addEventListener("click", () => this.toggle());
    this.element("before").addEventListener("click", () => this.step(-1));
    this.element("after").addEventListener("click", () => this.step(1));
    this.element("ticks").replaceChildren(...this.starts.map((start) => {
      const tick = make("i");
      tick.style.left = `${(100 * start) / this.lasts}%`;
      return tick;
    }));
  }

  go(time) {
    this.time = Math.min(this.lasts, Math.max(0, time));
    let number = this.starts.length - 1;
    while (number > 0 && this.starts[number] > this.time + 1e-9) number--;
    if (number !== this.number) this.enter(number);
    this.sceneries[number].at(this.time - this.starts[number]);
    const slider = this.element("time");
    slider.value = this.time;
    const told = DATA.moments[number];
    slider.setAttribute("aria-valuetext", `${told.title}, ${(this.time - this.starts[number]).toFixed(1)} seconds`);
    this.element("clock").textContent = `${(this.time - this.starts[number]).toFixed(2)} s · ${number}/${this.starts.length - 1}`;
    this.stage.moved();
  }

  enter(number) {
    this.number = number;
    const moment = DATA.moments[number];
    this.stage.set(this.sceneries[number]);
    this.stage.card(null);
    const verdict = moment.number ? make("span", { class: moment.ok ? "verdict" : "verdict no" }, moment.ok ? "as expected" : "not as expected") : null;
    const word = moment.word ? make("span", { class: "word", colour: css(moment.colour) }, moment.word) : null;
    const lines = [...moment.lines.map((text) => make("li", {}, text)), ...moment.failed.map((text) => make("li", { class: "failed" }, text))];
    this.element("said").replaceChildren(
      make("div", { class: "head" }, make("span", { class: "who" }, moment.number ? `${moment.number}. ${moment.who}` : moment.who), word, verdict),
      moment.about ? make("p", {}, moment.about) : "", make("ul", {}, ...lines));
    this.focus(false);
    this.stage.resized(); // what is said is long or short, and the picture is above it
  }

  // Look at the mini that the moment is about; on a small table only when asked to.
  focus(always) {
    const moment = DATA.moments[this.number], one = this.sceneries[this.number].figures.get(moment.focus);
    const wide = Math.max(DATA.high[0] - DATA.low[0], DATA.high[1] - DATA.low[1]);
    if (one && (always || wide > CLOSE_MM)) this.stage.near([one.told.place[0], one.told.place[1], one.told.place[2] + 12], Math.max(260, 9 * one.told.height_mm));
  }

  step(by) {
    this.pause();
    const number = Math.min(this.starts.length - 1, Math.max(0, this.number + by));
    this.go(this.starts[number]);
  }

  toggle() {
    if (this.playing) { this.pause(); return; }
    if (this.time >= this.lasts - 0.02) this.go(0);
    this.playing = true;
    this.button("M8 5v14M16 5v14", "Pause");
    let last = performance.now();
    const on = (now) => {
      if (!this.playing) return;
      this.go(this.time + (Math.min(now - last, 100) / 1000) * Number(this.element("speed").value));
      last = now;
      if (this.time >= this.lasts) this.pause();
      else requestAnimationFrame(on);
    };
    requestAnimationFrame(on);
  }

  pause() {
    this.playing = false;
    this.button("M7 4.5v15l12.5-7.5z", "Play");
  }

  button(path, text) {
    this.element("play").querySelector("path").setAttribute("d", path);
    this.element("play").querySelector(".hidden").textContent = text;
  }
}

// --- it begins ---------------------------------------------------------------------------------------------------------

function themed(theme) {
  document.documentElement.dataset.theme = theme;
}

function keyed(stage, teller) {
  const press = (id) => document.getElementById(id).click();
  const keys = {
    Home: () => stage.home(), t: () => stage.plan(), f: () => teller.focus(true), " ": () => teller.toggle(), "[": () => teller.step(-1), "]": () => teller.step(1),
    ",": () => teller.go(teller.time - 0.05), ".": () => teller.go(teller.time + 0.05), d: () => press("theme"), p: () => press("fold"), "?": () => press("keys"),
    Escape: () => stage.card(null),
  };
  document.addEventListener("keydown", (e) => {
    if (document.querySelector("dialog[open]")) return; // its keys are the browser's: Escape closes it
    const typing = e.target.closest("input, select, button, a");
    if (e.ctrlKey || e.metaKey || e.altKey || (typing && e.key !== "Escape")) return;
    const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    if (e.target === stage.canvas && e.key === "Enter") {
      const box = stage.canvas.getBoundingClientRect();
      stage.ask(box.left + box.width / 2, box.top + box.height / 2);
    } else if (stage.orbit.key(e)) e.preventDefault();
    else if (key in keys) { keys[key](); e.preventDefault(); }
  });
}

async function begin() {
  themed(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  const folded = (on) => {
    document.body.classList.toggle("folded", on);
    document.getElementById("fold").setAttribute("aria-expanded", String(!on));
  };
  document.getElementById("theme").addEventListener("click", () => themed(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
  document.getElementById("fold").addEventListener("click", () => folded(!document.body.classList.contains("folded")));
  document.getElementById("keys").addEventListener("click", () => document.getElementById("help").showModal());
  await unpack();
  const stage = new Stage();
  stage.panel = new Panel(stage);
  const teller = new Teller(stage);
  document.getElementById("home").addEventListener("click", () => stage.home());
  document.getElementById("plan").addEventListener("click", () => stage.plan());
  keyed(stage, teller);
  stage.home();
  teller.focus(false);
  stage.render();
  document.getElementById("loading").remove();
  window.sim3d = { stage, teller }; // for tests and for the curious
  document.documentElement.dataset.ready = "true";
}

begin().catch((error) => {
  document.getElementById("loading").textContent = `This page cannot be shown here: ${error.message}. It needs a browser of 2023 or newer with WebGL 2.`;
  document.documentElement.dataset.ready = "failed";
  console.error(error);
});
