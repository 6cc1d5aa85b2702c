// `npm install && npm run build`: writes three.bundle.js with its licence on top. Nothing of this runs when a page is made.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";

const { version } = JSON.parse(await readFile("node_modules/three/package.json", "utf8"));
const licence = (await readFile("node_modules/three/LICENSE", "utf8")).trim();
const recipe = createHash("sha256");
for (const name of ["package.json", "build.mjs", "three.entry.mjs"]) recipe.update(await readFile(name));
const made = await build({
  entryPoints: ["three.entry.mjs"],
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "THREE",
  target: "es2020",
  legalComments: "none",
  charset: "ascii",
  write: false,
});
const head = `/*! three.js ${version}\n\n${licence}\n\nrecipe ${recipe.digest("hex")}\n*/\n`;
await writeFile("three.bundle.js", head + made.outputFiles[0].text);
