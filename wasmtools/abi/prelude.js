// What a script of a tool may use, and how the gateway runs it. A script sets
//
//	globalThis.tools = [{ name, description, inputSchema, outputSchema, annotations, call(args) }]
//
// where call returns what the tool answers, or a promise of it: an object as
// structured content, a text as text. What it throws is for the model to read.
(() => {
  "use strict";
  const { host } = globalThis;
  delete globalThis.host;
  const { parse, stringify } = JSON;

  // ask has the gateway do something, and throws what it refuses.
  const ask = (op, input) => {
    const answer = host(op, input === undefined ? "" : stringify(input));
    const value = answer.length > 1 ? parse(answer.slice(1)) : undefined;
    if (answer[0] === "+") return value;
    throw Object.assign(new Error(value.message), { code: value.code });
  };
  const log = (level) => (...parts) => void host("log." + level, parts.map(text).join(" "));
  const text = (value) => {
    if (typeof value === "string") return value;
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    return stringify(value) ?? String(value);
  };

  globalThis.console = { debug: log("debug"), log: log("info"), info: log("info"), warn: log("warn"), error: log("error") };
  globalThis.windie = Object.freeze({
    http: (request) => ask("http.request", request),
    config: (key) => ask("config.get", { key }).value,
    kv: Object.freeze({
      get: (key) => ask("kv.get", { key }).value ?? null,
      set: (key, value) => void ask("kv.set", { key, value: String(value) }),
      delete: (key) => void ask("kv.delete", { key }),
      list: (prefix = "", after = "", limit = 100) => ask("kv.list", { prefix, after, limit }).keys,
    }),
    user: () => ask("user.id").id,
    progress: (message) => void ask("progress", { message: String(message) }),
    output: (piece) => void ask("progress", { output: String(piece) }),
    callTool: (name, args = {}) => ask("tools.call", { name, arguments: args }),
  });

  const tools = () => {
    if (!Array.isArray(globalThis.tools)) throw new TypeError("the script does not set globalThis.tools to a list of tools");
    return globalThis.tools;
  };

  // answer writes what a tool returned.
  const answer = (value) => {
    let result = { structuredContent: value };
    if (typeof value === "string") result = { content: [{ type: "text", text: value }] };
    else if (value === undefined || value === null) result = { content: [] };
    else if (typeof value !== "object" || Array.isArray(value)) result = { structuredContent: { result: value } };
    host("output", stringify(result));
  };
  const refuse = (reason) => {
    if (reason instanceof Error && reason.stack) host("log.error", `${reason.name}: ${reason.message}\n${reason.stack}`.trimEnd()); // for the author; the model reads the message
    host("output", stringify({ isError: true, content: [{ type: "text", text: reason instanceof Error ? reason.message : text(reason) }] }));
  };

  globalThis.__windie_describe = () => {
    const list = tools().map(({ name, description, inputSchema, outputSchema, annotations }) => ({ name, description, inputSchema, outputSchema, annotations }));
    host("output", stringify({ tools: list }));
  };

  globalThis.__windie_call = () => {
    const { name, arguments: args } = parse(host("input").slice(1));
    const tool = tools().find((t) => t.name === name);
    if (!tool) return void host("fail", `the script has no tool ${name}`);
    try {
      const result = tool.call(args);
      if (result && typeof result.then === "function") result.then(answer, refuse);
      else answer(result);
    } catch (reason) {
      refuse(reason);
    }
  };
})();
