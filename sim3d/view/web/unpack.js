// What the page was given: DATA (plain JSON) and the arrays it refers to, packed into one compressed block.

const DATA = JSON.parse(document.getElementById("data").textContent);
const KINDS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f4: Float32Array };
let BULK = null;

async function unpack() {
  const text = atob(document.getElementById("bulk").textContent);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  BULK = await new Response(stream).arrayBuffer();
}

// An array of the block: [kind, first byte, how many].
function array([kind, start, count]) {
  return new KINDS[kind](BULK, start, count);
}

// An element with attributes and children; text is always text, never markup.
function make(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "colour") made.style.setProperty("--c", value);
    else if (name === "pale") made.style.setProperty("--pale", value);
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child != null && child !== ""));
  return made;
}

function css([r, g, b]) {
  return `rgb(${Math.round(255 * r)} ${Math.round(255 * g)} ${Math.round(255 * b)})`;
}
