// @ts-check
// The number of refused tools, for the badge that every view shows: each needs an operator who accepts its changes.
import { signal, useEffect, useEvery } from './lib.js';
import { here, operates, signedIn, windie } from './state.js';

const every = 10_000; // ms between two loads

/** The number of refused tools; 0 for people who may not know. */
export const refused = signal(0);

/** Counts the tools of MCP servers that are refused. @param {any[]} servers */
export function countRefused(servers) {
  refused.value = servers.flatMap((s) => s.tools).filter((t) => t.changed).length;
  return servers;
}

/** Whether the person may know of MCP servers. */
const mayKnow = () => signedIn.value && (operates() || here.value?.mode === 'local');

async function look() {
  if (!mayKnow()) return (refused.value = 0);
  await windie.peek().operator.mcpServers().then(countRefused, () => {}); // the next load tries again
}

/** Keeps the number up to date. */
export const useRefused = () => {
  useEffect(() => void look(), [here.value, windie.value]);
  useEvery(look, every, []);
};
