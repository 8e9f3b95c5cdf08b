import type { Transport } from './http.js';
import { Pages } from './pages.js';
import { split } from './perception.js';
import type { CallOptions, Schemas } from './types.js';

const at = encodeURIComponent;
const base = '/api/operator';

/** How operators look after a gateway. A local gateway without an operator's token asks for the approval key. */
export class Operator {
  constructor(private readonly transport: Transport) {}

  /** The settings in force, each with where it comes from, without secrets. */
  async settings(call: CallOptions = {}): Promise<Schemas['Setting'][]> {
    return (await this.transport.json<Schemas['SettingList']>('GET', `${base}/settings`, call)).settings;
  }

  /** The MCP servers whose tools the gateway uses. */
  async mcpServers(call: CallOptions = {}): Promise<Schemas['MCPServer'][]> {
    return (await this.transport.json<Schemas['MCPServerList']>('GET', `${base}/mcp-servers`, call)).servers;
  }

  /**
   * Lets the tools of an MCP server be used that are not what they were; returns their names. The changes are those of the server as
   * mcpServers() listed it; if they are others by now, it fails with DECISION_CONFLICT and accepts nothing.
   */
  async acceptMcpServer(name: string, changes: string, call: CallOptions = {}): Promise<string[]> {
    return (await this.transport.json<Schemas['AcceptedTools']>('POST', `${base}/mcp-servers/${at(name)}/accept`, { ...call, safe: true, json: { changes } })).accepted;
  }

  /** The users, with what they spent today. */
  users(options: CallOptions & { limit?: number; after?: string } = {}): Pages<Schemas['OperatorUser']> {
    const [call, query] = split(options);
    return new Pages(async after => {
      const page = await this.transport.json<Schemas['OperatorUserList']>('GET', `${base}/users`, { ...call, query: { ...query, after } });
      return { items: page.users, next: page.next };
    }, options.after);
  }

  /** Makes a user without installs. */
  createUser(call: CallOptions = {}): Promise<Schemas['OperatorUser']> {
    return this.transport.json('POST', `${base}/users`, call);
  }

  /** What a user has: installs, what was spent today, and how much is kept. */
  user(userId: string, call: CallOptions = {}): Promise<Schemas['OperatorUserDetails']> {
    return this.transport.json('GET', `${base}/users/${at(userId)}`, call);
  }

  /** Gives a user a budget of their own, or by default that of the settings again. */
  setBudget(userId: string, budget: Schemas['OperatorBudget'], call: CallOptions = {}): Promise<Schemas['OperatorUser']> {
    return this.transport.json('PUT', `${base}/users/${at(userId)}/budget`, { ...call, json: budget });
  }

  /** Makes a token for a user. It is not tried again: the token is told once. */
  createToken(userId: string, operatingSystem = '', call: CallOptions = {}): Promise<Schemas['OperatorToken']> {
    return this.transport.json('POST', `${base}/users/${at(userId)}/tokens`, { ...call, json: { operating_system: operatingSystem } });
  }

  /** Lets an install in no more. */
  revokeInstall(installId: string, call: CallOptions = {}): Promise<void> {
    return this.transport.json('DELETE', `${base}/installs/${at(installId)}`, call);
  }

  /** The figures of the last day, in periods of five minutes. */
  history(call: CallOptions = {}): Promise<Schemas['History']> {
    return this.transport.json('GET', `${base}/history`, call);
  }

  /** What the gateway keeps, and for how long. */
  async kept(call: CallOptions = {}): Promise<Schemas['KeptKind'][]> {
    return (await this.transport.json<Schemas['KeptList']>('GET', `${base}/kept`, call)).kinds;
  }

  /** Deletes the data that is older than the given age of its kind, or only counts it. */
  prune(request: Schemas['PruneRequest'], call: CallOptions = {}): Promise<Schemas['Pruned']> {
    return this.transport.json('POST', `${base}/prune`, { ...call, json: request, safe: true });
  }
}
