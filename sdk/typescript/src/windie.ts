import { General, Memory } from './general.js';
import { builtin, Transport, type ClientOptions } from './http.js';
import { Screen, type ScreenSource } from './perception.js';
import { Operator } from './operator.js';
import { Prompts } from './prompts.js';
import { Artifacts, Audit, Conversations, Decisions, Embeddings, Introspection, Plugins, Semantic, Tools } from './resources.js';
import { Runs } from './runs.js';
import { ToolHosts } from './toolhosts.js';
import { socketTicket } from './socket.js';
import type { CallOptions, Schemas } from './types.js';
import { VERSION } from './version.js';

/** Keeps the token of an install. */
export interface TokenStore {
  load(): Promise<string | undefined>;
  save(token: string): Promise<void>;
}

/** Keeps a token in a file that only its owner can read. */
export function fileTokenStore(path: string): TokenStore {
  type Files = {
    readFile(path: string, encoding: 'utf8'): Promise<string>;
    writeFile(path: string, data: string, options: { mode: number; flag?: string }): Promise<void>;
    rename(from: string, to: string): Promise<void>;
  };
  const files = () => {
    const fs = builtin<Files>('node:fs/promises');
    if (!fs) throw new TypeError('windie: there are no files here; write a TokenStore of your own');
    return fs;
  };
  return {
    async load() {
      try {
        return (await files().readFile(path, 'utf8')).trim() || undefined;
      } catch (error) {
        if ((error as { code?: string }).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async save(token) {
      const part = `${path}.${Date.now()}.part`;
      await files().writeFile(part, `${token}\n`, { mode: 0o600, flag: 'wx' });
      await files().rename(part, path);
    },
  };
}

/** A client of one gateway. */
export class Windie {
  /** @internal */
  readonly transport: Transport;
  readonly artifacts: Artifacts;
  readonly tools: Tools;
  readonly prompts: Prompts;
  readonly conversations: Conversations;
  readonly decisions: Decisions;
  readonly memory: Memory;
  readonly runs: Runs;
  readonly embeddings: Embeddings;
  readonly semantic: Semantic;
  readonly general: General;
  readonly toolHosts: ToolHosts;
  readonly plugins: Plugins;
  readonly audit: Audit;
  readonly operator: Operator;
  /** What a model is asked, without asking it. */
  readonly agent: Introspection;

  constructor(readonly options: ClientOptions = {}) {
    const t = (this.transport = new Transport(options));
    this.artifacts = new Artifacts(t);
    this.tools = new Tools(t);
    this.prompts = new Prompts(t);
    this.conversations = new Conversations(t, this.tools);
    this.decisions = new Decisions(t);
    this.memory = new Memory(t);
    this.runs = new Runs(t);
    this.embeddings = new Embeddings(t);
    this.semantic = new Semantic(t);
    this.general = new General(t);
    this.toolHosts = new ToolHosts(t);
    this.plugins = new Plugins(t);
    this.audit = new Audit(t);
    this.operator = new Operator(t);
    this.agent = new Introspection(t);
  }

  /** A client of a hosted gateway, with the token that store keeps. The first time it registers for one. */
  static async registered(options: ClientOptions & { store: TokenStore; operatingSystem?: string | undefined }): Promise<Windie> {
    const { store, operatingSystem, ...rest } = options;
    let token = await store.load();
    if (token === undefined) {
      const made = await new Windie(rest).register(operatingSystem);
      token = made.install_token;
      await store.save(token);
    }
    return new Windie({ ...rest, token });
  }

  /** A copy of the client with other options, as for another user. */
  with(options: ClientOptions): Windie {
    return new Windie({ ...this.options, ...options });
  }

  /** A screen to ask about: a picture, or an artifact that shows one. */
  screen(of: ScreenSource | { artifactId: string }): Screen {
    return new Screen(this.transport, of);
  }

  /** Where clients of the Model Context Protocol find the gateway. */
  get mcpURL(): string {
    return `${this.transport.baseURL}/mcp`;
  }

  /** Makes a user and a token of a hosted gateway. It is not tried again: the token is told once. */
  register(operatingSystem?: string, call: CallOptions = {}): Promise<Schemas['InstallRegistration']> {
    return this.transport.json('POST', '/api/install/register', { ...call, json: operatingSystem === undefined ? {} : { operating_system: operatingSystem } });
  }

  /**
   * A ticket opens one WebSocket of a hosted gateway, as `${url}?ticket=${ticket}`: a page cannot send its token with one.
   * Agents get theirs by themselves.
   */
  socketTicket(path = '/ws', call: CallOptions = {}): Promise<Schemas['SocketTicket']> {
    return socketTicket(this.transport, path, call);
  }

  health(call: CallOptions = {}): Promise<Schemas['Health']> {
    return this.transport.json('GET', '/health', call);
  }

  ready(call: CallOptions = {}): Promise<Schemas['Health']> {
    return this.transport.json('GET', '/ready', call);
  }

  /** Whether the gateway is of another release than this package. The logger hears of it. */
  async checkVersion(call: CallOptions = {}): Promise<{ gateway: string; sdk: string; same: boolean }> {
    const { version } = await this.health(call);
    const release = (v: string) => v.replace(/^v/, '').split('.').slice(0, 2).join('.');
    const same = release(version) === release(VERSION) || !/^v?\d/.test(version) || VERSION === '0.0.0';
    if (!same) this.transport.log({ event: 'warning', message: `the gateway is ${version}, and this package ${VERSION}` });
    return { gateway: version, sdk: VERSION, same };
  }

  capabilities(call: CallOptions = {}): Promise<Schemas['Capabilities']> {
    return this.transport.json('GET', '/api/capabilities', call);
  }

  /** What was spent on models today. */
  usage(call: CallOptions = {}): Promise<Schemas['Usage']> {
    return this.transport.json('GET', '/api/usage', call);
  }

  /** Figures for Prometheus, for the operator. */
  async metrics(call: CallOptions = {}): Promise<string> {
    return (await this.transport.request('GET', '/metrics', call)).text();
  }
}
