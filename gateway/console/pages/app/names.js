// @ts-check
// One name for each tool, everywhere in the console: its id. Models write _ for each dot, because their providers accept no dots.
import { signal, useEffect } from './lib.js';
import { here, operates, windie } from './state.js';

/** An id in the spelling of models. @param {string} id */
export const modelName = (id) => id.replaceAll('.', '_');

/** The ids of the gateway's tools by their spelling for models, which is unique. */
const ids = signal(/** @type {Map<string, string>} */ (new Map()));

/** The id of a tool that a model named. A name that is not a tool of the gateway, such as a client's, stays. @param {string} name */
export const nameOf = (name) => ids.value.get(name) ?? name;

/** Loads the ids, unless all names are known: a server can add tools. @param {string[]} [names] */
export async function learnNames(names) {
  if (operates() || names?.every((n) => ids.peek().has(n) || n.includes('.'))) return;
  const asked = windie.peek();
  const tools = await asked.tools.list().catch(() => []); // the spelling of models stays
  if (asked === windie.peek() && tools.length > 0) ids.value = new Map(tools.map((t) => [modelName(t.id), t.id]));
}

/** Keeps the names up to date. */
export const useNames = () => useEffect(() => {
  if (here.value) learnNames();
}, [here.value, windie.value]);
