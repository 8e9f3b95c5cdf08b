// @ts-check
// The client of the gateway that served this page: the TypeScript client in ../sdk, with the routes of the console.
import { Windie as Client } from '../sdk/windie.js';
import { parse } from './exact.js';

/** The limit of a call in milliseconds: longer than any tool of the gateway. */
const longest = 120_000;

/** A client of one gateway, for one user. */
export class Windie extends Client {
  /** @param {{baseURL: string, userId?: string, onAnswer?: (status: number) => void}} options */
  constructor({ baseURL, userId, onAnswer = () => {} }) {
    super({ baseURL, userId: userId || undefined, timeout: longest, headers: { 'x-windie-console': '1' }, parse, fetch: sending(onAnswer) });
    this.visits = new Visits(this.transport);
    this.clients = new Clients(this.transport);
    this.connections = new Connections(this.transport);
  }

  /** The image or file of an artifact. @param {string} id @param {AbortSignal} [signal] */
  blob = async (id, signal) => (await this.artifacts.download(id, { signal })).blob();

  /** An image in the storage of the gateway. @param {string} artifactId */
  stored = (artifactId) => this.screen({ artifactId });
}

/** Sends requests with the cookie of this browser, and reports whether the gateway responds. @param {(status: number) => void} onAnswer */
const sending = (onAnswer) => async (url, init) => {
  try {
    const response = await fetch(url, { ...init, credentials: 'same-origin', cache: 'no-store' });
    onAnswer(response.status);
    return response;
  } catch (error) {
    if (!init.signal?.aborted) onAnswer(0);
    throw error;
  }
};

/** The one match of a text or a description. It throws the gateway's error for several matches or none. @param {Promise<any>} answer */
export async function theOne(answer) {
  const found = await answer;
  if (found.status !== 'found') throw found.error;
  return found;
}

/** The content of a result besides its structured output; without such output, all of it. @param {any} answer */
export const partsOf = (answer) => answer.content ?? (Array.isArray(answer.result?.content) ? answer.result.content : []);

/** The browsers that are signed in. These routes are for the console alone; no API document lists them. */
class Visits {
  /** @param {any} transport */
  constructor(transport) {
    this.transport = transport;
  }
  here = () => this.transport.json('GET', '/console/visit');
  enter = (entry) => this.transport.json('POST', '/console/visit', { json: entry });
  leave = () => this.transport.json('DELETE', '/console/visit');
  list = async () => (await this.transport.json('GET', '/console/visits')).visits;
  end = (id) => this.transport.json('DELETE', `/console/visits/${encodeURIComponent(id)}`);
}

/** The clients that act for the person, by OAuth. */
class Clients {
  /** @param {any} transport */
  constructor(transport) {
    this.transport = transport;
  }
  ask = (query) => this.transport.json('GET', `/console/authorize?${query}`);
  decide = (decision) => this.transport.json('POST', '/console/authorize', { json: decision });
  list = async () => (await this.transport.json('GET', '/console/clients')).clients;
  end = (id) => this.transport.json('DELETE', `/console/clients/${encodeURIComponent(id)}`);
}

/** The person's connections to the MCP servers of others. */
class Connections {
  /** @param {any} transport */
  constructor(transport) {
    this.transport = transport;
  }
  list = async () => (await this.transport.json('GET', '/console/connections')).connections;
  begin = (server) => this.transport.json('POST', `/console/connections/${encodeURIComponent(server)}`);
  finish = (query) => this.transport.json('POST', '/console/connections', { json: { query } });
  end = (server) => this.transport.json('DELETE', `/console/connections/${encodeURIComponent(server)}`);
}
