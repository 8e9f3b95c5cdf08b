// @ts-check
// A client of the gateway that served this page. It has the names of the TypeScript client, and can
// be replaced by it.

/** A refusal or failure of the gateway. Branch on code. */
export class APIError extends Error {
  /** @param {{status: number, code: string, message: string, details?: any, requestId?: string}} of */
  constructor(of) {
    super(of.message);
    this.name = 'APIError';
    this.status = of.status;
    this.code = of.code;
    this.details = of.details ?? {};
    this.requestId = of.requestId;
  }
}

/** The gateway could not be reached. */
export class ConnectionError extends Error {
  name = 'ConnectionError';
  code = 'CONNECTION';
}

/** @param {Response} response */
async function errorFrom(response) {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const text = await response.text().catch(() => '');
  try {
    const { error } = JSON.parse(text);
    if (typeof error?.code === 'string') return new APIError({ status: response.status, requestId, ...error });
  } catch {
    // no JSON: it does not come from the gateway
  }
  return new APIError({ status: response.status, code: 'INTERNAL', message: `the answer was ${response.status} without an explanation`, requestId });
}

/** Reads server-sent events. @param {ReadableStream<Uint8Array>} body */
export async function* readEvents(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let event = { event: 'message', data: '', id: /** @type {string | undefined} */ (undefined) };
  try {
    for (;;) {
      const { done, value } = await reader.read();
      text += decoder.decode(value, { stream: !done });
      for (let end; (end = text.indexOf('\n')) >= 0; text = text.slice(end + 1)) {
        const line = text.slice(0, end).replace(/\r$/, '');
        const [, field, rest] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
        if (line === '') {
          if (event.data) yield { ...event, data: JSON.parse(event.data) };
          event = { event: 'message', data: '', id: event.id };
        } else if (field === 'data') event.data += rest;
        else if (field === 'event') event.event = rest ?? '';
        else if (field === 'id') event.id = rest;
      }
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

const at = encodeURIComponent;

/** A client of one gateway, for one user. */
export class Windie {
  /** @param {{baseURL: string, userId?: string, onAnswer?: (status: number) => void}} options */
  constructor(options) {
    this.options = options;
    this.artifacts = new Artifacts(this);
    this.tools = new Tools(this);
    this.prompts = new Prompts(this);
    this.conversations = new Conversations(this);
    this.decisions = new Decisions(this);
    this.memory = new Memory(this);
    this.plugins = new Plugins(this);
    this.operator = new Operator(this);
    this.runs = new Runs(this);
    this.visits = new Visits(this);
  }

  /** @param {string} path @param {Record<string, any>} [query] */
  url(path, query = {}) {
    const asked = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '' && value !== null) asked.append(name, String(value));
    return this.options.baseURL + path + (asked.size > 0 ? `?${asked}` : '');
  }

  /**
   * @param {string} method @param {string} path
   * @param {{json?: unknown, body?: BodyInit, query?: Record<string, any>, headers?: Record<string, string>, signal?: AbortSignal}} [call]
   */
  async request(method, path, call = {}) {
    const headers = new Headers({ 'x-windie-console': '1', ...call.headers });
    if (this.options.userId) headers.set('x-user-id', this.options.userId);
    let { body } = call;
    if (call.json !== undefined) {
      body = JSON.stringify(call.json);
      headers.set('content-type', 'application/json');
    }
    let response;
    try {
      response = await fetch(this.url(path, call.query), { method, headers, body, signal: call.signal, credentials: 'same-origin', cache: 'no-store' });
    } catch (error) {
      if (call.signal?.aborted) throw error;
      this.options.onAnswer?.(0);
      throw new ConnectionError('The gateway cannot be reached. It may have stopped, or the connection broke.');
    }
    this.options.onAnswer?.(response.status);
    if (!response.ok) throw await errorFrom(response);
    return response;
  }

  /** @param {string} method @param {string} path @param {any} [call] */
  async json(method, path, call) {
    const response = await this.request(method, path, call);
    return response.status === 204 ? undefined : response.json();
  }

  /** @param {string} artifactId */
  screen(artifactId) {
    return new Screen(this, artifactId);
  }

  health = () => this.json('GET', '/health');
  usage = () => this.json('GET', '/api/usage');
  metrics = async () => (await this.request('GET', '/metrics')).text();
  /** @param {Record<string, any>} query */
  audit = (query) => this.json('GET', '/api/audit', { query });
}

/** Questions about one picture that the gateway keeps. */
class Screen {
  /** @param {Windie} windie @param {string} artifactId */
  constructor(windie, artifactId) {
    this.windie = windie;
    this.image = { artifact_id: artifactId };
  }
  /** @param {string} path @param {object} body @param {AbortSignal} [signal] */
  ask = (path, body, signal) => this.windie.json('POST', `/api/sdk/${path}`, { json: { image: this.image, ...body }, signal });
  read = (signal) => this.ask('ocr/run', {}, signal);
  elements = (signal) => this.ask('screen/elements', { max_results: 2000 }, signal);
  resolve = (text, options) => this.ask('ocr/resolve-text', { text, ...options });
  locate = (description, options) => this.ask('vision/locate', { description, ...options });
  diff = (after) => this.windie.json('POST', '/api/sdk/screen/diff', { json: { before: this.image, after: { artifact_id: after } } });
}

class Artifacts {
  /** @param {Windie} windie */
  constructor(windie) {
    this.windie = windie;
  }
  /** @param {Blob} blob @param {string} name */
  upload(blob, name) {
    const form = new FormData();
    form.append('file', blob, name);
    return this.windie.json('POST', '/api/artifacts/', { body: form });
  }
  /** @param {string} id @param {AbortSignal} [signal] */
  blob = async (id, signal) => (await this.windie.request('GET', `/api/artifacts/${at(id)}`, { signal })).blob();
}

/** What a tool shows besides its structured output; of one that has no such output, all of it. @param {any} answer */
export const partsOf = (answer) => answer.content ?? (Array.isArray(answer.result?.content) ? answer.result.content : []);

class Tools {
  /** @param {Windie} windie */
  constructor(windie) {
    this.windie = windie;
  }
  list = async () => (await this.windie.json('GET', '/api/tools')).tools;
  /** The result, and the id by which the log of calls has it. @param {string} id @param {object} args */
  async call(id, args) {
    const response = await this.windie.request('POST', `/api/tools/${at(id)}/invoke`, { json: args });
    return { ...(await response.json()), callId: response.headers.get('x-request-id') };
  }
}

class Prompts {
  /** @param {Windie} windie */
  constructor(windie) {
    this.windie = windie;
  }
  list = (query) => this.windie.json('GET', '/api/prompts', { query });
  get = (id) => this.windie.json('GET', `/api/prompts/${at(id)}`);
  cancel = (id) => this.windie.json('POST', `/api/prompts/${at(id)}/cancel`, { json: {} });
  approve = (id, toolCallId, input) => this.windie.json('POST', `/api/prompts/${at(id)}/approve`, { json: { toolCallId, ...(input !== undefined && { input }) } });

  /** Starts a prompt, and yields its events. @param {object} json @param {AbortSignal} signal */
  async *start(json, signal) {
    const response = await this.windie.request('POST', '/api/prompt', { json, signal });
    yield* readEvents(/** @type {any} */ (response.body));
  }

  /** Yields the events behind a cursor, then new ones. @param {string} id @param {string | undefined} after @param {AbortSignal} signal */
  async *follow(id, after, signal) {
    const response = await this.windie.request('GET', `/api/prompts/${at(id)}/events`, { query: { after, deltas: true }, signal });
    yield* readEvents(/** @type {any} */ (response.body));
  }
}

class Conversations {
  /** @param {Windie} windie */
  constructor(windie) {
    this.windie = windie;
  }
  list = (query) => this.windie.json('GET', '/api/conversations', { query });
  create = async () => (await this.windie.tools.call('conversation.create', {})).result;
  get = async (conversationId, options) => (await this.windie.tools.call('conversation.get', { conversationId, ...options })).result;
  delete = (id) => this.windie.json('DELETE', `/api/conversations/${at(id)}`);
}

class Decisions {
  /** @param {Windie} windie */
  constructor(windie) {
    this.windie = windie;
  }
  list = (query) => this.windie.json('GET', '/api/decisions', { query });
  approve = (id) => this.windie.json('POST', `/api/decisions/${at(id)}`, { json: { approved: true } });
  rules = async () => (await this.windie.json('GET', '/api/rules')).rules;
  setRules = (rules) => this.windie.json('PUT', '/api/rules', { json: { rules } });
  reject = (id, reason) => this.windie.json('POST', `/api/decisions/${at(id)}`, { json: { approved: false, ...(reason && { reason }) } });
}

class Memory {
  /** @param {Windie} windie */
  constructor(windie) {
    this.windie = windie;
  }
  files = async () => (await this.windie.json('GET', '/v1/memory/files')).files;
  read = (path) => this.windie.json('GET', '/v1/memory/get', { query: { path } });
  search = (q) => this.windie.json('GET', '/v1/memory/search', { query: { q, limit: 30 } });
  write = (content, target) => this.windie.json('POST', '/v1/memory/write', { json: { content, target } });
  edit = (path, was, text) => this.windie.json('PUT', '/v1/memory/files', { json: { path, was, text } });
  delete = (path) => this.windie.json('DELETE', '/v1/memory/files', { query: { path } });
}

class Plugins {
  /** @param {Windie} windie */
  constructor(windie) {
    this.windie = windie;
  }
  list = async () => (await this.windie.json('GET', '/api/plugins')).plugins;
  enable = (name) => this.windie.json('POST', `/api/plugins/${at(name)}/enable`);
  disable = (name) => this.windie.json('POST', `/api/plugins/${at(name)}/disable`);
  getGrant = (name) => this.windie.json('GET', `/api/plugins/${at(name)}/grant`);
  putGrant = (name, grant) => this.windie.json('PUT', `/api/plugins/${at(name)}/grant`, { json: grant });
}

/** How operators look after the gateway. */
class Operator {
  /** @param {Windie} windie */
  constructor(windie) {
    this.windie = windie;
  }
  /** @param {string} method @param {string} path @param {any} [call] */
  ask = (method, path, call) => this.windie.json(method, `/api/operator/${path}`, call);
  settings = async () => (await this.ask('GET', 'settings')).settings;
  mcpServers = async () => (await this.ask('GET', 'mcp-servers')).servers;
  acceptMcpServer = async (name) => (await this.ask('POST', `mcp-servers/${at(name)}/accept`)).accepted;
  users = (query) => this.ask('GET', 'users', { query });
  createUser = () => this.ask('POST', 'users');
  user = (id) => this.ask('GET', `users/${at(id)}`);
  setBudget = (id, json) => this.ask('PUT', `users/${at(id)}/budget`, { json });
  createToken = (id, system) => this.ask('POST', `users/${at(id)}/tokens`, { json: { operating_system: system } });
  revokeInstall = (id) => this.ask('DELETE', `installs/${at(id)}`);
  kept = async () => (await this.ask('GET', 'kept')).kinds;
  prune = (json) => this.ask('POST', 'prune', { json });
}

/** What workers carry out. Paths of lists end with a slash, as the gateway has them. */
class Runs {
  /** @param {Windie} windie */
  constructor(windie) {
    this.windie = windie;
  }
  list = (query) => this.windie.json('GET', '/api/runs/', { query });
  create = (json) => this.windie.json('POST', '/api/runs/', { json });
  get = async (id, signal) => (await this.windie.json('GET', `/api/runs/${at(id)}`, { signal })).run;
  events = (id, after, signal) => this.windie.json('GET', `/api/runs/${at(id)}/events`, { query: { after_seq: after }, signal });
  control = (id, json) => this.windie.json('POST', `/api/runs/${at(id)}/control`, { json });
  stopAll = (json) => this.windie.json('POST', '/api/runs/stop-all', { json });
  workers = async () => (await this.windie.json('GET', '/api/runs/workers')).workers;
  /** Yields the events behind a number, then new ones. @param {string} id @param {number} after @param {AbortSignal} signal */
  async *follow(id, after, signal) {
    const response = await this.windie.request('GET', `/api/runs/${at(id)}/events/stream`, { query: { after_seq: after }, signal });
    yield* readEvents(/** @type {any} */ (response.body));
  }
}

/** The browsers that are let in. */
class Visits {
  /** @param {Windie} windie */
  constructor(windie) {
    this.windie = windie;
  }
  here = () => this.windie.json('GET', '/console/visit');
  enter = (entry) => this.windie.json('POST', '/console/visit', { json: entry });
  leave = () => this.windie.json('DELETE', '/console/visit');
  list = async () => (await this.windie.json('GET', '/console/visits')).visits;
  end = (id) => this.windie.json('DELETE', `/console/visits/${at(id)}`);
}
