// @ts-check
// JSON as it was written: JavaScript rounds numbers that it cannot hold.

const longest = 40; // characters of a number that is compared

/** A number's digits from the first that counts to the last, and the power of ten that they stand for. @param {string} number */
const decimal = (number) => {
  const [, sign, whole, part = '', power = 0] = /** @type {any} */ (/^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number));
  const digits = (whole + part).replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  return short && `${sign}${short}e${Number(power) - part.length + digits.length - short.length}`;
};

/** Whether a number of JSON is the same after JavaScript has read it. @param {string} number */
const survives = (number) => number.length <= longest && Number.isFinite(Number(number)) && decimal(number) === decimal(String(Number(number)));

/** JSON with the numbers that do not survive as marked texts, and the mark. @param {string} text */
function marking(text) {
  const mark = crypto.getRandomValues(new Uint32Array(4)).join('-'); // nobody writes it who cannot know it
  const marked = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g, (t) => (t[0] === '"' || survives(t) ? t : `"${mark} ${t}"`));
  return { mark, marked: JSON.parse(marked) };
}

/** A part of what was marked as text, if it has a mark. @param {string} mark @param {any} part */
function unmarked(mark, part) {
  const text = JSON.stringify(part, null, 2);
  return text?.includes(mark) ? text.replaceAll(new RegExp(`"${mark} ([^"]*)"`, 'g'), '$1') : undefined;
}

/**
 * Reads JSON: value is what it holds, and textOf returns the text of a part of it, found by pick, if a number in it is not what it was.
 * @param {string} text
 * @returns {{value: any, textOf: (pick: (value: any) => any) => string | undefined}}
 */
export function read(text) {
  const { mark, marked } = marking(text);
  return { value: JSON.parse(text), textOf: (pick) => unmarked(mark, pick(marked)) };
}

const written = new WeakMap(); // the objects and lists of what was remembered, each with how it was marked

/** Reads JSON as JSON.parse does, and remembers of its objects and lists how they were written. @param {string} text */
export function remembered(text) {
  const value = JSON.parse(text);
  if (!/[\d.]{16}|\d[eE][+-]?\d/.test(text)) return value; // all survive
  const { mark, marked } = marking(text);
  const keep = (part, as) => {
    if (part === null || typeof part !== 'object') return;
    written.set(part, { mark, as });
    for (const key of Object.keys(part)) keep(part[key], as[key]);
  };
  keep(value, marked);
  return value;
}

/** The text of a value that was remembered, or of its field, if a number in it is not what it was. @param {any} value @param {string} [field] */
export function textOf(value, field) {
  const known = written.get(value);
  return known && unmarked(known.mark, field === undefined ? known.as : known.as[field]);
}

/** Whether a value that was not remembered has a number that may not be what it was. @param {any} value @returns {boolean} */
export const mayDiffer = (value) => (typeof value === 'number' ? String(value).length > 15 : value !== null && typeof value === 'object' && Object.values(value).some(mayDiffer));
