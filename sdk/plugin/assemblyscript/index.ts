// Makes Windie plugins of AssemblyScript functions; README.md has the first
// five minutes.

import { Json } from "./json";
export { Json, Kind, numberText } from "./json";

// The functions of the gateway; docs/plugin-reference.md tells of each.
@external("windie", "input_len") declare function inputLen(): i32;
@external("windie", "input_read") declare function inputRead(to: usize, len: i32): i32;
@external("windie", "output_write") declare function outputWrite(from: usize, len: i32): void;
@external("windie", "error_write") declare function errorWrite(from: usize, len: i32): void;
@external("windie", "log") declare function logWrite(level: i32, from: usize, len: i32): void;
@external("windie", "host_call") declare function hostCall(op: usize, opLen: i32, input: usize, len: i32): i32;
@external("windie", "host_read") declare function hostRead(to: usize, len: i32): i32;

function utf8(text: string): ArrayBuffer {
  return String.UTF8.encode(text);
}

/** Why a program stops: what throw says, and what the language finds wrong.
 * Builds name it by --use, or the module asks for a function that no gateway has. */
export function abort(message: string | null, file: string | null, line: u32, column: u32): void {
  const where = file !== null ? " (" + file + ":" + line.toString() + ":" + column.toString() + ")" : "";
  fail((message !== null ? message : "aborted") + where);
  unreachable();
}

function fail(message: string): i32 {
  const text = utf8(message);
  errorWrite(changetype<usize>(text), text.byteLength);
  return 1;
}

/** How much a log line matters. */
export enum Level {
  Trace,
  Debug,
  Info,
  Warning,
  Error,
}

/** Writes a line for the operator. */
export function log(level: Level, line: string): void {
  const text = utf8(line);
  logWrite(level, changetype<usize>(text), text.byteLength);
}

/** A tool's answer: structured content, content, or both; or that it could not do it. */
export class Answer {
  private structured: Json | null = null;
  private content: Json[] = [];
  private isError: bool = false;

  /** An answer of a JSON object, which fits the tool's output schema. */
  static of(object: Json): Answer {
    const answer = new Answer();
    answer.structured = object;
    return answer;
  }

  /** The answer that the tool could not do it. The model reads why. */
  static fail(why: string): Answer {
    const answer = new Answer();
    answer.isError = true;
    return answer.text(why);
  }

  /** Adds a text for the model. */
  text(text: string): Answer {
    this.content.push(Json.object().set("type", Json.text("text")).set("text", Json.text(text)));
    return this;
  }

  /** Adds an image of a type such as image/png. */
  image(mimeType: string, data: Uint8Array): Answer {
    const json = Json.object().set("type", Json.text("image"));
    this.content.push(json.set("data", Json.text(encodeBase64(data))).set("mimeType", Json.text(mimeType)));
    return this;
  }

  toString(): string {
    const json = Json.object();
    const structured = this.structured;
    if (structured !== null) json.set("structuredContent", structured);
    // An answer that says nothing is one too.
    if (structured === null || this.content.length > 0) json.set("content", Json.list(this.content));
    return json.set("isError", Json.bool(this.isError)).toString();
  }
}

/** A tool, and what the gateway tells of it. */
export class Tool {
  private inputSchema: string = '{"type":"object"}';
  private outputSchema: string = "";
  private hints: Json = Json.object();

  /** Work is a function of the program's own: AssemblyScript has no closures. */
  constructor(
    public name: string,
    private description: string,
    public work: (args: Json) => Answer,
  ) {}

  /** Sets the JSON Schema of the arguments. The gateway has checked them when
   * the tool is called. Without it the tool takes any object. */
  input(schema: string): Tool {
    this.inputSchema = schema;
    return this;
  }

  /** Sets the JSON Schema of the structured content. */
  output(schema: string): Tool {
    this.outputSchema = schema;
    return this;
  }

  /** Says that the tool changes nothing. */
  readOnly(): Tool {
    return this.hint("readOnlyHint", true);
  }

  /** Sets a hint by its MCP name, such as idempotentHint. */
  hint(name: string, value: bool): Tool {
    this.hints.set(name, Json.bool(value));
    return this;
  }

  toJson(): Json {
    const json = Json.object().set("name", Json.text(this.name)).set("description", Json.text(this.description));
    json.set("inputSchema", this.schema(this.inputSchema));
    if (this.outputSchema.length > 0) json.set("outputSchema", this.schema(this.outputSchema));
    if (this.hints.names().length > 0) json.set("annotations", this.hints);
    return json;
  }

  private schema(text: string): Json {
    const json = Json.parse(text);
    if (json === null) throw new Error("tool " + this.name + ": a schema is no JSON");
    return json;
  }
}

/** What the gateway makes of a tool's name. */
function publicName(name: string): string {
  let out = "";
  for (let i = 0; i < name.length; i++) {
    let c = name.charCodeAt(i);
    if (c >= 0x41 && c <= 0x5a) c += 0x20;
    const kept = (c >= 0x61 && c <= 0x7a) || (c >= 0x30 && c <= 0x39) || c == 0x2e;
    out += kept ? String.fromCharCode(c) : "_";
  }
  return out;
}

/** A plugin: what it is, and its tools. */
export class Plugin {
  private tools: Tool[] = [];

  constructor(
    private name: string,
    private version: string,
    private description: string,
  ) {}

  tool(tool: Tool): Plugin {
    this.tools.push(tool);
    return this;
  }

  /** What the plugin's export of this name returns. */
  describe(): i32 {
    const tools: Json[] = [];
    for (let i = 0; i < this.tools.length; i++) tools.push(this.tools[i].toJson());
    const json = Json.object().set("name", Json.text(this.name)).set("version", Json.text(this.version));
    write(json.set("description", Json.text(this.description)).set("tools", Json.list(tools)).toString());
    return 0;
  }

  /** What the plugin's export of this name returns. */
  call(): i32 {
    const buffer = new ArrayBuffer(inputLen());
    const n = inputRead(changetype<usize>(buffer), buffer.byteLength);
    const input = Json.parse(String.UTF8.decodeUnsafe(changetype<usize>(buffer), n));
    if (input === null) return fail("the input of call is no JSON");
    const name = input.get("name").asText();
    const args = input.has("arguments") ? input.get("arguments") : Json.object();
    for (let i = 0; i < this.tools.length; i++) {
      if (publicName(this.tools[i].name) != publicName(name)) continue;
      write(this.tools[i].work(args).toString());
      return 0;
    }
    return fail("there is no tool " + name);
  }
}

function write(output: string): void {
  const text = utf8(output);
  outputWrite(changetype<usize>(text), text.byteLength);
}

/** What came of asking the gateway for something. */
export class Outcome {
  /** When it is not ok: for programs, such as PERMISSION_DENIED for what the operator did not grant. */
  code: string = "";
  /** When it is not ok: why. */
  message: string = "";

  /** Value is what the operation gives, when it is ok. */
  constructor(
    public ok: bool,
    public value: Json,
  ) {}
}

/** Asks the gateway for an operation that docs/plugin-reference.md describes. */
export function host(op: string, input: Json): Outcome {
  const name = utf8(op);
  const text = utf8(input.toString());
  const n = hostCall(changetype<usize>(name), name.byteLength, changetype<usize>(text), text.byteLength);
  const buffer = new ArrayBuffer(n < 0 ? -n : n);
  const got = hostRead(changetype<usize>(buffer), buffer.byteLength);
  const answer = Json.parse(String.UTF8.decodeUnsafe(changetype<usize>(buffer), got));
  const outcome = new Outcome(n >= 0 && answer !== null, answer !== null ? answer : Json.none());
  if (!outcome.ok) {
    outcome.code = outcome.value.get("code").asText("INTERNAL");
    outcome.message = outcome.value.get("message").asText("the gateway's answer to " + op + " is not understood");
  }
  return outcome;
}

/** What http sends. */
export class Request {
  method: string = "GET";
  headers: Json = Json.object();
  body: string = "";

  constructor(public url: string) {}
}

/** Sends a request by way of the gateway. Gives status, headers by names in
 * lower case, and body, or body_base64 if that is no text. Needs the permission http. */
export function http(request: Request): Outcome {
  const input = Json.object().set("url", Json.text(request.url)).set("method", Json.text(request.method));
  if (request.headers.names().length > 0) input.set("headers", request.headers);
  if (request.body.length > 0) input.set("body", Json.text(request.body));
  return host("http.request", input);
}

/** What the operator set for a key of the plugin: gives value, of the kind Null if that is nothing. */
export function config(key: string): Outcome {
  return host("config.get", keyed(key));
}

/** The user whom the call is for: gives id, a text, which is the same in each call, another for each
 * plugin, and nothing by which the user can be found. On a gateway of one person it is "local". */
export function user(): Outcome {
  return host("user.id", Json.object());
}

/** Shows a line, such as "3 of 10 pages", to whoever watches the call. A line that comes less than a second
 * after another may not be shown. */
export function progress(line: string): void {
  const input = Json.object();
  input.set("message", Json.text(line));
  host("progress", input); // an older gateway shows nothing
}

/** Shows the next piece of what the tool puts out to whoever watches the call, before the call's result, which it does not
 * change. */
export function output(piece: string): void {
  const input = Json.object();
  input.set("output", Json.text(piece));
  host("progress", input); // an older gateway shows nothing
}

/** A value of the plugin's own store, which each user has unless the operator grants a shared one: gives value, of the kind Null if there is
 * none, or value_base64. The functions kv need the permission kv. */
export function kvGet(key: string): Outcome {
  return host("kv.get", keyed(key));
}

export function kvSet(key: string, value: string): Outcome {
  return host("kv.set", keyed(key).set("value", Json.text(value)));
}

export function kvDelete(key: string): Outcome {
  return host("kv.delete", keyed(key));
}

/** Gives keys, sorted: those that begin with prefix and come after the key after. At most 1000. */
export function kvList(prefix: string = "", after: string = "", limit: i32 = 100): Outcome {
  const input = Json.object().set("prefix", Json.text(prefix)).set("after", Json.text(after));
  return host("kv.list", input.set("limit", Json.number(limit)));
}

function keyed(key: string): Json {
  return Json.object().set("key", Json.text(key));
}

/** Calls a tool of the gateway by its full name, such as units.convert. Gives
 * what call answers. Needs the permission tools. */
export function callTool(name: string, args: Json): Outcome {
  return host("tools.call", Json.object().set("name", Json.text(name)).set("arguments", args));
}

/** The time: gives unix_ns, a text of digits. Needs the permission clock. */
export function now(): Outcome {
  return host("clock.now", Json.object());
}

/** Random bytes, 65536 at most: gives bytes_base64. Needs the permission random. */
export function random(n: i32): Outcome {
  return host("random.bytes", Json.object().set("n", Json.number(n)));
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

export function encodeBase64(data: Uint8Array): string {
  const parts: string[] = [];
  for (let i = 0; i < data.length; i += 3) {
    const two = i + 1 < data.length;
    const three = i + 2 < data.length;
    const bits = (<u32>data[i] << 16) | (two ? <u32>data[i + 1] << 8 : 0) | (three ? <u32>data[i + 2] : 0);
    parts.push(LETTERS.charAt((bits >> 18) & 63));
    parts.push(LETTERS.charAt((bits >> 12) & 63));
    parts.push(two ? LETTERS.charAt((bits >> 6) & 63) : "=");
    parts.push(three ? LETTERS.charAt(bits & 63) : "=");
  }
  return parts.join("");
}

/** Reads base64 with padding or without, and returns null for anything else. */
export function decodeBase64(text: string): Uint8Array | null {
  let length = text.length;
  while (length > 0 && text.charCodeAt(length - 1) == 0x3d) length--;
  if (length % 4 == 1) return null;
  const data = new Uint8Array(<i32>((<i64>length * 3) / 4));
  let bits: u32 = 0;
  let to = 0;
  for (let i = 0; i < length; i++) {
    const value = LETTERS.indexOf(text.charAt(i));
    if (value < 0) return null;
    bits = (bits << 6) | value;
    if (i % 4 > 0) data[to++] = <u8>(bits >> (6 - (i % 4) * 2));
  }
  return data;
}
