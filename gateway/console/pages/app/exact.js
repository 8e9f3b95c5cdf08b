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

/** Of what was read: the same with its rounded numbers as marked texts, and the mark. @type {WeakMap<object, {marked: any, mark: string}>} */
const read = new WeakMap();

/** JSON with its rounded numbers as texts behind a mark, and the mark. @param {string} text */
function markedOf(text) {
  if (!/[\d.]{16}|\d[eE]/.test(text)) return { marked: text, mark: '' }; // shorter numbers survive
  const mark = crypto.getRandomValues(new Uint32Array(4)).join('-'); // nobody writes it who cannot know it
  return { marked: text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g, (t) => (t[0] === '"' || survives(t) ? t : `"${mark} ${t}"`)), mark };
}

/** Reads JSON; where JavaScript rounds a number, exactOf knows what each object and array in it was. @param {string} text */
export function parse(text) {
  const value = JSON.parse(text);
  const { marked: withMarks, mark } = markedOf(text);
  if (withMarks === text) return value;
  for (const waits = [[value, JSON.parse(withMarks)]]; waits.length > 0; ) {
    const [part, marked] = /** @type {any} */ (waits.pop());
    if (part === null || typeof part !== 'object') continue;
    read.set(part, { marked, mark });
    for (const key of Object.keys(part)) waits.push([part[key], marked[key]]);
  }
  return value;
}

/** The text of an object or array that was read, or of what it has by a name, if a number in it is not what it was. @param {any} value @param {string} [name] */
export function exactOf(value, name) {
  const of = read.get(value);
  const text = of && JSON.stringify(name === undefined ? of.marked : of.marked[name], null, 2);
  return of && text?.includes(of.mark) ? text.replaceAll(new RegExp(`"${of.mark} ([^"]*)"`, 'g'), '$1') : undefined;
}

/** The text of a value, as it was written where JavaScript would round it. @param {any} value */
export const textOf = (value) => exactOf(value) ?? JSON.stringify(value, null, 2) ?? '';

const json = /** @type {any} */ (JSON); // the compiler does not know rawJSON yet

/** Whether a value is a number with all its digits, as parseExact reads one that JavaScript would round. @param {any} value */
export const isExact = (value) => json.isRawJSON?.(value) === true;

/** Reads JSON that is sent again: numbers that JavaScript would round are written by JSON.stringify as they were. @param {string} text */
export function parseExact(text) {
  const value = JSON.parse(text);
  const { marked, mark } = markedOf(text);
  if (marked === text) return value;
  return JSON.parse(marked, (_, v) => (typeof v === 'string' && v.startsWith(`${mark} `) ? (json.rawJSON ?? String)(v.slice(mark.length + 1)) : v)); // browsers of before 2025 send a text, with all digits
}

/** A value that was read, or what it has by a name, as parseExact reads it. @param {any} value @param {string} [name] */
export const exactly = (value, name) => parseExact(exactOf(value, name) ?? JSON.stringify((name === undefined ? value : value[name]) ?? null));

/** What a field of a form has of a value. @param {any} value */
export const fieldOf = (value) => (isExact(value) ? value.rawJSON : (value ?? ''));

/** The number that a person wrote, with all its digits; of what is none, the text. @param {string} written */
export function numberOf(written) {
  const text = written.trim().replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1').replace(/^(-?)(?=\.\d)/, '$10').replace(/^(-?\d+)\.(?=e|$)/i, '$1');
  if (text === '') return undefined;
  if (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) return parseExact(text);
  return Number.isSafeInteger(Number(text)) ? Number(text) : written;
}
