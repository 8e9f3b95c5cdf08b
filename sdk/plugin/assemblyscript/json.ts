// JSON values, and JSON text.

/** What a JSON value is. */
export enum Kind {
  Null,
  Bool,
  Number,
  Text,
  List,
  Object,
}

/** How deep lists and objects may be in each other. */
const MAX_DEPTH = 200;

/** A JSON value. Numbers are f64, so whole ones are exact up to 2^53. */
export class Json {
  kind: Kind = Kind.Null;
  private n: f64 = 0; // of a number, and 1 or 0 of a bool
  private s: string = "";
  private keys: string[] = [];
  private values: Json[] = []; // of a list, and of an object by its keys

  static none(): Json {
    return new Json();
  }

  static bool(value: bool): Json {
    const json = new Json();
    json.kind = Kind.Bool;
    json.n = value ? 1 : 0;
    return json;
  }

  static number(value: f64): Json {
    const json = new Json();
    json.kind = Kind.Number;
    json.n = value;
    return json;
  }

  static text(value: string): Json {
    const json = new Json();
    json.kind = Kind.Text;
    json.s = value;
    return json;
  }

  static list(values: Json[]): Json {
    const json = new Json();
    json.kind = Kind.List;
    json.values = values;
    return json;
  }

  /** An object without fields; set adds them. */
  static object(): Json {
    const json = new Json();
    json.kind = Kind.Object;
    return json;
  }

  /** Sets a field of an object, and returns the object. */
  set(name: string, value: Json): Json {
    const at = this.keys.indexOf(name);
    if (at >= 0) {
      this.values[at] = value;
    } else {
      this.keys.push(name);
      this.values.push(value);
    }
    return this;
  }

  /** The value of a field; one of the kind Null if there is none. */
  get(name: string): Json {
    const at = this.keys.indexOf(name);
    return at >= 0 ? this.values[at] : Json.none();
  }

  has(name: string): bool {
    return this.keys.indexOf(name) >= 0;
  }

  /** The names of an object's fields, in the order they came in. */
  names(): string[] {
    return this.keys;
  }

  /** The items of a list, or the values of an object. */
  items(): Json[] {
    return this.values;
  }

  isText(): bool {
    return this.kind == Kind.Text;
  }

  asText(otherwise: string = ""): string {
    return this.kind == Kind.Text ? this.s : otherwise;
  }

  asNumber(otherwise: f64 = NaN): f64 {
    return this.kind == Kind.Number ? this.n : otherwise;
  }

  asBool(otherwise: bool = false): bool {
    return this.kind == Kind.Bool ? this.n != 0 : otherwise;
  }

  toString(): string {
    const parts: string[] = [];
    this.write(parts);
    return parts.join("");
  }

  private write(to: string[]): void {
    switch (this.kind) {
      case Kind.Null:
        to.push("null");
        break;
      case Kind.Bool:
        to.push(this.n != 0 ? "true" : "false");
        break;
      case Kind.Number:
        to.push(numberText(this.n));
        break;
      case Kind.Text:
        writeText(this.s, to);
        break;
      default:
        this.writeItems(to);
    }
  }

  private writeItems(to: string[]): void {
    const object = this.kind == Kind.Object;
    to.push(object ? "{" : "[");
    for (let i = 0; i < this.values.length; i++) {
      if (i > 0) to.push(",");
      if (object) {
        writeText(this.keys[i], to);
        to.push(":");
      }
      this.values[i].write(to);
    }
    to.push(object ? "}" : "]");
  }

  /** Reads JSON text, and returns null when it is none. */
  static parse(text: string): Json | null {
    const reader = new Reader(text);
    const value = reader.value(0);
    reader.space();
    return reader.good && reader.at == text.length ? value : null;
  }
}

/** A number as people write it. Infinities and NaN, which JSON has not, become null. */
export function numberText(n: f64): string {
  if (!isFinite(n)) return "null";
  if (n == Math.trunc(n) && Math.abs(n) < 1e15) return (<i64>n).toString();
  return n.toString();
}

function writeText(s: string, to: string[]): void {
  to.push('"');
  let done = 0;
  for (let i = 0; i < s.length; i++) {
    const c = s.charCodeAt(i);
    let instead = "";
    if (c == 0x22) instead = '\\"';
    else if (c == 0x5c) instead = "\\\\";
    else if (c == 0x0a) instead = "\\n";
    else if (c < 0x20) instead = "\\u00" + (c < 0x10 ? "0" : "1") + "0123456789abcdef".charAt(c & 15);
    else if (c >= 0xd800 && c < 0xe000) {
      const next = i + 1 < s.length ? s.charCodeAt(i + 1) : 0;
      if (c < 0xdc00 && next >= 0xdc00 && next < 0xe000) {
        i++;
        continue;
      }
      instead = "\ufffd"; // half a pair is no character
    }
    if (instead.length == 0) continue;
    to.push(s.substring(done, i));
    to.push(instead);
    done = i + 1;
  }
  to.push(s.substring(done));
  to.push('"');
}

/** Reads a number. AssemblyScript 0.28 takes one of many digits times 10^23 to
 * 10^37 for 10^22, so such are read 22 places smaller and made large again. */
function parseNumber(text: string): f64 {
  let e = 0;
  while (e < text.length && (text.charCodeAt(e) | 0x20) != 0x65) e++;
  if (text.length - e > 6) return F64.parseFloat(text); // 0 or infinity
  const digits = text.substring(0, e);
  const exponent = e < text.length ? <i32>I32.parseInt(text.substring(e + 1), 10) : 0;
  const point = digits.indexOf(".");
  let first = 0; // of the digits that count
  while (first < e && (digits.charCodeAt(first) < 0x31 || digits.charCodeAt(first) > 0x39)) first++;
  const count = e - first - (point > first ? 1 : 0);
  const power = exponent - (point < 0 ? 0 : e - 1 - point) + max(0, count - 19); // it drops digits after the 19th
  if (power < 23 || power > 37) return F64.parseFloat(text);
  return F64.parseFloat(digits + "e" + (exponent - 22).toString()) * 1e22;
}

/** Reads JSON text from front to end. There are no exceptions: good turns false instead. */
class Reader {
  at: i32 = 0;
  good: bool = true;

  constructor(private text: string) {}

  private peek(): i32 {
    return this.at < this.text.length ? this.text.charCodeAt(this.at) : -1;
  }

  private bad(): Json {
    this.good = false;
    this.at = this.text.length; // so that every loop ends
    return Json.none();
  }

  space(): void {
    let c = this.peek();
    while (c == 0x20 || c == 0x0a || c == 0x0d || c == 0x09) {
      this.at++;
      c = this.peek();
    }
  }

  value(depth: i32): Json {
    this.space();
    const c = this.peek();
    if (depth > MAX_DEPTH) return this.bad();
    if (c == 0x7b) return this.object(depth);
    if (c == 0x5b) return this.list(depth);
    if (c == 0x22) return Json.text(this.string());
    if (c == 0x2d || (c >= 0x30 && c <= 0x39)) return this.number();
    if (this.word("true")) return Json.bool(true);
    if (this.word("false")) return Json.bool(false);
    if (this.word("null")) return Json.none();
    return this.bad();
  }

  private word(word: string): bool {
    const here = this.text.substr(this.at, word.length) == word;
    if (here) this.at += word.length;
    return here;
  }

  private object(depth: i32): Json {
    const json = Json.object();
    this.at++;
    this.space();
    if (this.peek() == 0x7d) {
      this.at++;
      return json;
    }
    while (this.good) {
      this.space();
      if (this.peek() != 0x22) return this.bad();
      const key = this.string();
      this.space();
      if (this.peek() != 0x3a) return this.bad();
      this.at++;
      json.set(key, this.value(depth + 1));
      if (this.ends(0x7d)) break;
    }
    return json;
  }

  private list(depth: i32): Json {
    const items: Json[] = [];
    this.at++;
    this.space();
    if (this.peek() == 0x5d) {
      this.at++;
      return Json.list(items);
    }
    while (this.good) {
      items.push(this.value(depth + 1));
      if (this.ends(0x5d)) break;
    }
    return Json.list(items);
  }

  /** Goes past a comma, which says that there is more, or a bracket, which ends. */
  private ends(bracket: i32): bool {
    this.space();
    const c = this.peek();
    if (c != 0x2c && c != bracket) this.bad();
    else this.at++;
    return c == bracket;
  }

  private number(): Json {
    const start = this.at;
    let c = this.peek();
    while ((c >= 0x30 && c <= 0x39) || c == 0x2d || c == 0x2b || c == 0x2e || c == 0x65 || c == 0x45) {
      this.at++;
      c = this.peek();
    }
    const n = parseNumber(this.text.substring(start, this.at));
    return isNaN(n) ? this.bad() : Json.number(n);
  }

  private string(): string {
    const parts: string[] = [];
    let start = ++this.at;
    while (true) {
      const c = this.peek();
      if (c < 0) {
        this.bad();
        return "";
      }
      this.at++;
      if (c != 0x22 && c != 0x5c) continue;
      parts.push(this.text.substring(start, this.at - 1));
      if (c == 0x22) return parts.length == 1 ? parts[0] : parts.join("");
      parts.push(this.escape());
      start = this.at;
    }
  }

  private escape(): string {
    const c = this.peek();
    this.at++;
    if (c == 0x22 || c == 0x5c || c == 0x2f) return String.fromCharCode(c);
    if (c == 0x62) return "\b";
    if (c == 0x66) return "\f";
    if (c == 0x6e) return "\n";
    if (c == 0x72) return "\r";
    if (c == 0x74) return "\t";
    if (c == 0x75) return this.unicode();
    this.bad();
    return "";
  }

  private unicode(): string {
    let value = 0;
    for (let i = 0; i < 4; i++) {
      const digit = "0123456789abcdef".indexOf(String.fromCharCode(this.peek() | 0x20));
      if (this.peek() < 0x30 || digit < 0) {
        this.bad();
        return "";
      }
      this.at++;
      value = (value << 4) | digit;
    }
    return String.fromCharCode(value); // pairs are as in the text: it is UTF-16 too
  }
}
