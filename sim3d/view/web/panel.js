// The panel: which map, what its colours mean and how much there is of each, layers, findings, figures of a pack.

const LAYERS = {
  minis: "minis", tokens: "tokens", contacts: "contacts, forces, support", names: "names", swept: "what a base sweeps", tool: "movement tool", way: "way",
  reach: "in reach", hexes: "hexes", zones: "zones", findings: "findings",
};

class Panel {
  constructor(stage) {
    this.stage = stage;
    this.hidden = new Set(["off-table"]);
    this.off = new Set();
    this.element = document.getElementById("panel");
    if (DATA.maps.length) this.maps();
    this.layers();
    if (DATA.findings.length) this.findings();
    for (const table of DATA.tables) this.table(table);
    this.notes();
  }

  section(title, ...children) {
    this.element.append(make("section", { "aria-label": title }, make("h2", {}, title), ...children));
  }

  choice(name, caption, options, chosen, picked) {
    const radios = options.map(([value, text]) => make("label", {},
      make("input", { type: "radio", name, value, checked: value === chosen, onchange: () => picked(value) }), make("span", {}, text)));
    return make("fieldset", {}, make("legend", {}, caption), make("div", { class: "choices" }, ...radios));
  }

  maps() {
    this.base = 0;
    this.mask = 1;
    this.levels = make("div");
    this.words = make("ul", { class: "rows", id: "legend" });
    const bases = DATA.maps.map((group, i) => [String(i), group.turn ? `${group.base}, turned ${group.turn}°` : group.base]);
    this.section("Where it stands",
      this.choice("base", "base", [...bases, ["-1", "no map"]], "0", (value) => this.pick(Number(value))), this.levels, this.words,
      this.graded = make("p", { class: "note", id: "graded" }), this.whose = make("p", { class: "note" }), make("p", { class: "note" }, "Click the terrain: what stands there, and why."));
    this.pick(0);
  }

  pick(base) {
    this.base = base;
    this.levels.replaceChildren();
    this.words.replaceChildren();
    if (base < 0) { this.graded.textContent = this.whose.textContent = ""; MAP.uLayers.value = 0; this.stage.draw(); return; }
    const group = DATA.maps[base];
    this.mask = (1 << group.layers.length) - 1;
    if (group.layers.length > 1) {
      const options = [["all", "all"], ...group.layers.map((layer, k) => [String(k), layer.name])];
      this.levels.append(this.choice("level", "storey", options, "all", (value) => {
        this.mask = value === "all" ? (1 << group.layers.length) - 1 : 1 << Number(value);
        this.legend(value === "all" ? 0 : Number(value));
        this.lay();
      }));
    }
    this.legend(0);
    this.lay();
  }

  legend(k) {
    const layer = DATA.maps[this.base].layers[k];
    this.words.replaceChildren(...DATA.words.filter(({ word }) => word in layer.area_mm2).map(({ word, colour }) => {
      const area = layer.area_mm2[word], share = area / layer.total_mm2;
      return this.row(word, colour, !this.hidden.has(word), (on) => {
        this.hidden[on ? "delete" : "add"](word);
        this.lay();
      }, area, share);
    }));
    this.graded.textContent = "stable" in layer.area_mm2 ? `Stable is the paler green, the smaller the tilt that takes it over: ${DATA.nudge_deg}° to ${DATA.sure_deg}°.` : "";
    this.whose.textContent = DATA.maps[this.base].layers.length > 1 ? `Areas are those of “${layer.name}”.` : "";
    this.words.setAttribute("aria-label", `areas, ${layer.name}`);
    if ("unreachable_mm2" in layer) {
      this.words.append(this.row("no way up there", [0.1, 0.12, 0.18], MAP.uUnreached.value > 0, (on) => {
        MAP.uUnreached.value = on ? 1 : 0;
        this.stage.draw();
      }, layer.unreachable_mm2, layer.unreachable_mm2 / layer.total_mm2));
    }
  }

  row(text, colour, on, toggled, area, share) {
    const box = make("input", { type: "checkbox", checked: on, "data-layer": text, onchange: () => toggled(box.checked) });
    const bits = [box, make("span", { colour: css(colour), ...(text === "stable" ? { class: "chip graded", pale: css(DATA.barely) } : { class: "chip" }) }), make("span", {}, text)];
    if (area === undefined) bits.splice(1, 1);
    else {
      bits.push(make("span", { class: "area", "data-word": text }, `${(area / 100).toFixed(1)} cm²`), make("span", { class: "share" }, `${(100 * share).toFixed(1)} %`));
    }
    return make("li", {}, make("label", {}, ...bits));
  }

  lay() {
    this.stage.sheet(this.base).lay(this.mask, (word) => !this.hidden.has(word));
    this.stage.draw();
  }

  layers() {
    const there = new Set(DATA.moments.flatMap((m) => [...(m.figures.length ? ["minis"] : []), ...(m.figures.length || m.words.length ? ["names"] : []), ...m.areas.map((a) => a.layer), ...m.ways.map((l) => l.layer),
      ...(m.figures.some((f) => f.word) ? ["contacts"] : []), ...(m.hexes >= 0 ? ["hexes", "zones"] : [])]));
    if (DATA.findings.some((f) => f.places.length)) there.add("findings");
    const rows = Object.keys(LAYERS).filter((name) => there.has(name)).map((name) => {
      const box = make("input", { type: "checkbox", checked: true, "data-layer": name, onchange: () => {
        this.off[box.checked ? "delete" : "add"](name);
        this.stage.draw();
      } });
      return make("li", {}, make("label", {}, box, make("span", {}, LAYERS[name])));
    });
    const said = make("output", {}, "all");
    const [low, high] = [DATA.low[2], DATA.high[2]];
    const cut = make("input", { type: "range", id: "cut", min: low, max: high + 1, step: 1, value: high + 1, "aria-label": "Hide terrain above this height", oninput: () => {
      const at = Number(cut.value);
      said.textContent = at > high ? "all" : `${at.toFixed(0)} mm`;
      this.stage.cut(at > high ? null : at);
    } });
    this.section("Layers", make("ul", { class: "rows" }, ...rows), make("label", { class: "slide" }, "up to", cut, said));
  }

  findings() {
    const rows = DATA.findings.map((f) => make("tr", {},
      make("td", {}, make("span", { class: `sev ${f.severity}` }, f.severity), make("br"), f.piece),
      make("td", {}, f.places.length ? make("button", { type: "button", class: "go", onclick: () => this.stage.visit(f) }, f.message) : f.message, make("br"), make("code", {}, f.code))));
    this.section(`Findings (${DATA.findings.length})`, make("div", { class: "table" },
      make("table", { id: "findings" }, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "where"), make("th", { scope: "col" }, "what"))), make("tbody", {}, ...rows))));
  }

  table({ caption, head, rows }) {
    const number = (text) => /^[\d.,]+( ?%)?$/.test(text);
    const cell = (tag, text, more) => make(tag, { class: number(text) ? "n" : null, ...more }, text);
    this.section(caption, make("div", { class: "table" }, make("table", {},
      make("thead", {}, make("tr", {}, ...head.map((text) => cell("th", text, { scope: "col" })))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((text) => cell("td", text))))))));
  }

  notes() {
    this.section("About this page", ...DATA.notes.map((text) => make("p", { class: "note" }, text)));
  }

  shows(layer) {
    return !this.off.has(layer);
  }
}
