// @ts-check
// One name for each tool, everywhere in the console: its id. Models write an id with _ for each dot, as their providers take no dots.
import { signal, useEffect } from './lib.js';
import { here, operates, windie } from './state.js';

/** As models write an id. @param {string} id */
export const modelName = (id) => id.replaceAll('.', '_');

/** The ids of the gateway's tools, by what models call them. No two tools are called the same by models. */
const ids = signal(/** @type {Map<string, string>} */ (new Map()));

/** The id of a tool that a model named; what is no tool of the gateway, as one of a client, keeps its name. @param {string} name */
export const nameOf = (name) => ids.value.get(name) ?? name;

/** Learns the ids, again when a name is not known: a server may have brought its tools since. @param {string[]} [names] */
export async function learnNames(names) {
  if (operates() || names?.every((n) => ids.peek().has(n) || n.includes('.'))) return;
  const asked = windie.peek();
  const tools = await asked.tools.list().catch(() => []); // the names that models write stay
  if (asked === windie.peek() && tools.length > 0) ids.value = new Map(tools.map((t) => [modelName(t.id), t.id]));
}

/** Keeps the names up to date. */
export const useNames = () => useEffect(() => {
  if (here.value) learnNames();
}, [here.value, windie.value]);
