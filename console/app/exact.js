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

/**
 * Reads JSON: value is what it holds, and textOf returns the text of a part of it, found by pick, if a number in it is not what it was.
 * @param {string} text
 * @returns {{value: any, textOf: (pick: (value: any) => any) => string | undefined}}
 */
export function read(text) {
  const mark = crypto.getRandomValues(new Uint32Array(4)).join('-'); // nobody writes it who cannot know it
  const marked = JSON.parse(text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g, (t) => (t[0] === '"' || survives(t) ? t : `"${mark} ${t}"`)));
  const textOf = (pick) => {
    const part = JSON.stringify(pick(marked), null, 2);
    return part?.includes(mark) ? part.replaceAll(new RegExp(`"${mark} ([^"]*)"`, 'g'), '$1') : undefined;
  };
  return { value: JSON.parse(text), textOf };
}
