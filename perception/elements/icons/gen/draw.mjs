// Draws the glyphs of ../lexicon.yaml, from the icon sets that package.json
// names, into ../glyphs.png, and lists them in ../glyphs.txt: `make icons`.
//
// A glyph is a cell of the picture, white on black. It is cut to its ink and
// fills its cell as far as its shape lets it. The list has a line a cell, in
// the order of reading: the set, its name for the glyph, how long the ink is in
// percent of the set's square, and the concept.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';
import { Resvg } from '@resvg/resvg-js';
import { parse } from 'yaml';

const here = dirname(fileURLToPath(import.meta.url));
const cell = 32; // pixels a side; as in glyphs.go
const columns = 32; // cells a row; as in glyphs.go
const bits = 2; // a pixel
const drawn = 256; // pixels across, before a glyph is made small
const ink = 32; // the least coverage that belongs to the glyph, of 255

// sets tells under which paths a set's glyph and its variants may lie.
const sets = {
  lucide: (name) => [`lucide-static/icons/${name}.svg`],
  bootstrap: (name) => ['', '-fill'].map((variant) => `bootstrap-icons/icons/${name}${variant}.svg`),
  tabler: (name) => ['outline', 'filled'].map((variant) => `@tabler/icons/icons/${variant}/${name}.svg`),
  fontawesome: (name) => ['@fortawesome/fontawesome-free', 'fontawesome5'].flatMap((edition) =>
    ['solid', 'regular', 'brands'].map((variant) => `${edition}/svgs/${variant}/${name}.svg`)),
  material: (name) => ['filled', 'outlined'].map((variant) => `@material-design-icons/svg/${variant}/${name}.svg`),
};

// render draws a file and returns its coverages, and the box of its ink.
function render(file) {
  const { pixels, width, height } = new Resvg(readFileSync(file, 'utf8'), { fitTo: { mode: 'width', value: drawn } }).render();
  const box = { left: width, top: height, right: 0, bottom: 0 };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (pixels[4 * (y * width + x) + 3] < ink) continue;
      box.left = Math.min(box.left, x);
      box.right = Math.max(box.right, x + 1);
      box.top = Math.min(box.top, y);
      box.bottom = Math.max(box.bottom, y + 1);
    }
  }
  if (box.right === 0) throw new Error(`${file} draws nothing`);
  const long = Math.max(box.right - box.left, box.bottom - box.top);
  return { percent: Math.round(100 * long / height), at: (x, y) => (x < 0 || y < 0 || x >= width || y >= height ? 0 : pixels[4 * (y * width + x) + 3]), box };
}

// shrink makes a drawing as small as a cell, each pixel the mean of what it
// covers, and returns its levels of grey.
function shrink({ at, box }) {
  const step = Math.max(box.right - box.left, box.bottom - box.top) / cell;
  const left = (box.left + box.right - cell * step) / 2, top = (box.top + box.bottom - cell * step) / 2;
  const parts = Math.ceil(step) * 2; // samples a pixel and side
  const out = new Uint8Array(cell * cell);
  for (let i = 0; i < out.length; i++) {
    let sum = 0;
    for (let k = 0; k < parts * parts; k++) {
      const x = left + ((i % cell) + ((k % parts) + 0.5) / parts) * step;
      const y = top + (Math.floor(i / cell) + (Math.floor(k / parts) + 0.5) / parts) * step;
      sum += at(Math.floor(x), Math.floor(y));
    }
    out[i] = Math.round((sum / (parts * parts * 255)) * (2 ** bits - 1));
  }
  return out;
}

// alike reports whether two cells differ by a fiftieth of their pixels at most.
function alike(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.abs(a[i] - b[i]);
  return sum * 50 <= a.length * (2 ** bits - 1);
}

// glyphs draws all that the lexicon names. A variant that looks as another one
// of its set and concept is left out.
function* glyphs(lexicon) {
  for (const concept of lexicon) {
    for (const [set, paths] of Object.entries(sets)) {
      const seen = [];
      for (const name of (concept[set] ?? '').split(' ').filter(Boolean)) {
        const files = paths(name).map((path) => join(here, 'node_modules', path)).filter(existsSync);
        if (files.length === 0) throw new Error(`${concept.name}: ${set} has no ${name}`);
        for (const file of files) {
          const drawing = render(file), pixels = shrink(drawing);
          if (seen.some((other) => alike(other, pixels))) continue;
          seen.push(pixels);
          yield { line: `${set} ${name} ${drawing.percent} ${concept.name}`, pixels };
        }
      }
    }
  }
}

// png encodes a picture in levels of grey.
function png(width, height, pixel) {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]), frame = Buffer.alloc(body.length + 8);
    frame.writeUInt32BE(data.length);
    body.copy(frame, 4);
    frame.writeUInt32BE(crc32(body), body.length + 4);
    return frame;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header[8] = bits;
  const rows = Buffer.alloc(height * (1 + (width * bits) / 8)); // each after its filter, none
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      rows[y * (1 + (width * bits) / 8) + 1 + ((x * bits) >> 3)] |= pixel(x, y) << (8 - bits - ((x * bits) & 7));
    }
  }
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })), chunk('IEND', Buffer.alloc(0))]);
}

const all = [...glyphs(parse(readFileSync(join(here, '../lexicon.yaml'), 'utf8')))];
const picture = png(columns * cell, Math.ceil(all.length / columns) * cell, (x, y) => {
  const glyph = all[Math.floor(y / cell) * columns + Math.floor(x / cell)];
  return glyph ? glyph.pixels[(y % cell) * cell + (x % cell)] : 0;
});
writeFileSync(join(here, '../glyphs.png'), picture);
writeFileSync(join(here, '../glyphs.txt'), all.map(({ line }) => `${line}\n`).join(''));
console.log(`${all.length} glyphs, ${picture.length} bytes`);
