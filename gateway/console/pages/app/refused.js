// @ts-check
// Tools that are refused until an operator accepts what they have become: they need somebody, wherever that person looks.
import { signal, useEffect, useEvery } from './lib.js';
import { here, operates, signedIn, windie } from './state.js';

const every = 10_000; // ms between two looks

/** How many tools are refused, as far as who is here may know. */
export const refused = signal(0);

/** Counts the tools of MCP servers that are refused. @param {any[]} servers */
export function countRefused(servers) {
  refused.value = servers.flatMap((s) => s.tools).filter((t) => t.changed).length;
  return servers;
}

/** Whether who is here may know of MCP servers. */
const mayKnow = () => signedIn.value && (operates() || here.value?.mode === 'local');

async function look() {
  if (!mayKnow()) return (refused.value = 0);
  await windie.peek().operator.mcpServers().then(countRefused, () => {}); // it is asked again
}

/** Keeps the number up to date. */
export const useRefused = () => {
  useEffect(() => void look(), [here.value, windie.value]);
  useEvery(look, every, []);
};
