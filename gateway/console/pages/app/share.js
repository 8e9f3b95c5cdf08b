// @ts-check
// A conversation as one file that opens without a gateway, a network or a script.
import { between, bytes, count, inWords, plain } from './lib.js';
import { windie } from './state.js';
import { scenesOf } from './scene.js';
import { exactOf, textOf } from './exact.js';

const mostPictures = 40 << 20; // bytes of images in a file
const style = 'body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:1rem auto;padding:0 1rem;color-scheme:light dark}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#8882;padding:.6rem;border-radius:6px;max-height:30rem;overflow:auto}.said{background:#48f2;padding:.4rem .8rem;border-radius:6px}section{border-top:1px solid #8886;margin-top:1rem}figure{position:relative;display:inline-block;margin:.4rem .6rem .4rem 0}img{max-width:100%;border:1px solid #8886}svg{position:absolute;left:0;top:0;width:100%;height:100%;fill:none;stroke:#e91e63}small{color:light-dark(#555e6f,#a3adbd)}';
const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** Text as HTML. @param {unknown} text */
export const escaped = (text) => plain(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

const block = (title, value) => `<h4>${escaped(title)}</h4><pre tabindex="0">${escaped(typeof value === 'string' ? value : textOf(value))}</pre>`;

const dataOf = (blob) => new Promise((done, failed) => {
  const reader = new FileReader();
  reader.onload = () => done(String(reader.result));
  reader.onerror = () => failed(reader.error);
  reader.readAsDataURL(blob);
});

/** Fetches images, each once, up to mostPictures. */
function pictures() {
  const known = new Map();
  let left = mostPictures;
  const fetched = async (id) => {
    try {
      const blob = await windie.peek().blob(id);
      if (!/^image\/(png|jpeg|gif|webp|bmp)$/.test(blob.type) || blob.size > left) return `<p><small>Image ${escaped(id)} omitted: ${bytes(blob.size)} exceed the limit of the file.</small></p>`;
      left -= blob.size;
      const { width, height } = await createImageBitmap(blob);
      return { data: await dataOf(blob), width, height };
    } catch (error) {
      return `<p><small>Image ${escaped(id)} missing: ${escaped(error.message)}</small></p>`;
    }
  };
  return async (id, title, point) => {
    if (!known.has(id)) known.set(id, await fetched(id));
    const of = known.get(id);
    if (typeof of === 'string') return of;
    const r = of.width / 40;
    const click = point ? `<svg viewBox="0 0 ${of.width} ${of.height}" stroke-width="${r / 5}"><circle cx="${Number(point.x)}" cy="${Number(point.y)}" r="${r}"/></svg>` : '';
    return `<figure><img src="${of.data}" alt="${escaped(title)}">${click}<figcaption><small>${escaped(title)}</small></figcaption></figure>`;
  };
}

async function step(of, picture) {
  if (of.type === 'text') return `<h4>Agent</h4><pre tabindex="0">${escaped(of.content)}</pre>`;
  if (of.type === 'file') return picture(of.id, 'File');
  const { before, after } = scenesOf(of.input, of.result?.output);
  const shown = [before && (await picture(before.id, before.point ? 'Before, with click point' : 'Before', before.point)), after && (await picture(after.id, 'After'))];
  return `<details open><summary><b>${escaped(of.function)}</b> ${escaped(of.result?.type ?? 'running')} <small>${between(of.start, of.end)}</small></summary>${block('Arguments', of.input ?? {})}${block('Result', of.result?.error ?? exactOf(of.result, 'output') ?? of.result?.output ?? null)}${shown.filter(Boolean).join('')}</details>`;
}

/** Turns as one file. @param {string} title @param {any[]} turns */
export async function fileOf(title, turns) {
  const picture = pictures();
  const parts = [];
  for (const t of turns) {
    parts.push(`<section><h3>You <small>${escaped(t.startedAt ?? '')}</small></h3><pre class="said" tabindex="0">${escaped(t.input)}</pre>`);
    for (const i of t.images) if (i.artifact_id) parts.push(await picture(i.artifact_id, 'Attached image'));
    for (const s of t.steps) parts.push(await step(s, picture));
    for (const n of t.notes) parts.push(`<p>${escaped(n)}</p>`);
    if (t.error) parts.push(`<p><b>${escaped(t.error.reason ? inWords(t.error.reason) : (t.error.code ?? 'Failed'))}</b> ${escaped(t.error.message)}</p>`);
    parts.push(`<p><small>${escaped(inWords(t.status))}${t.endedAt ? `, ${between(t.startedAt, t.endedAt)}` : ''}${t.usage ? `, ${count(Number(t.usage.totalTokens), 'token')}` : ''}</small></p></section>`);
  }
  const head = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${style}</style></head>`;
  return new Blob([`${head}<body><h1>${escaped(title)}</h1><p><small>Exported by Windie ${escaped(new Date().toISOString())}</small></p>${parts.join('\n')}</body></html>\n`], { type: 'text/html' });
}
