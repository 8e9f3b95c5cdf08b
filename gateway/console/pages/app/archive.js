// @ts-check
// Files that the page makes for the person: downloads, and archives of several files.

const block = 512; // bytes of a block in an archive

/** Has the browser save a file. @param {Blob} blob @param {string} name */
export function save(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // by then the browser has opened it
}

/** A file name that is valid on every system. @param {string} text @param {string} otherwise */
export const fileName = (text, otherwise) => text.toLowerCase().replace(/\.[a-z]{3,4}$/, '').replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 40) || otherwise;

/**
 * Packs files as tar does. Their names are short and ASCII.
 * @param {{name: string, content: Uint8Array<ArrayBuffer>}[]} files
 */
export function tar(files) {
  const parts = files.flatMap(({ name, content }) => [header(name, content.length), content, new Uint8Array((block - (content.length % block)) % block)]);
  return new Blob([...parts, new Uint8Array(2 * block)], { type: 'application/x-tar' });
}

function header(name, size) {
  const out = new Uint8Array(block);
  const put = (text, at) => out.set(new TextEncoder().encode(text), at);
  const octal = (n, digits) => n.toString(8).padStart(digits, '0');
  put(name, 0);
  put(`0000644\0${octal(0, 7)}\0${octal(0, 7)}\0${octal(size, 11)}\0${octal(Math.floor(Date.now() / 1000), 11)}\0        0`, 100);
  put('ustar\x0000', 257);
  put(`${octal(out.reduce((a, b) => a + b, 0), 6)}\0 `, 148); // the checksum, with spaces in its own field
  return out;
}
