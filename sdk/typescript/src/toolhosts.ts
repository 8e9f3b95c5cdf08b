import type { Transport } from './http.js';
import { Pages } from './pages.js';
import { split } from './perception.js';
import { follow } from './sse.js';
import type { CallOptions, Schemas } from './types.js';

/** A message of a session to its program; docs/protocols.md has the types and their fields. */
export interface HostMessage {
  type: string;
  sessionId: string;
  seq?: number;
  [field: string]: unknown;
}

/** Sessions with an agent that calls tools of the program: the remote tool host, over HTTP. */
export class ToolHosts {
  constructor(private readonly transport: Transport) {}

  /** Begins a session. */
  open(call: CallOptions = {}): Promise<Schemas['AgentSession']> {
    return this.transport.json('POST', '/api/agent/sessions', { ...call, keyed: true });
  }

  sessions(options: CallOptions & { limit?: number } = {}): Pages<Schemas['AgentSessionInfo']> {
    const [call, query] = split(options);
    return new Pages(async after => {
      const page = await this.transport.json<Schemas['AgentSessionList']>('GET', '/api/agent/sessions', { ...call, query: { ...query, after } });
      return { items: page.sessions, next: page.next };
    });
  }

  session(id: string, call: CallOptions = {}): Promise<Schemas['AgentSessionInfo']> {
    return this.transport.json('GET', pathOf(id), call);
  }

  deleteSession(id: string, call: CallOptions = {}): Promise<Schemas['Deleted']> {
    return this.transport.json('DELETE', pathOf(id), call);
  }

  /** Sends a message: hello with the tools first, then what the user says, and results. A user.message with a messageId, and a result, may be sent again. */
  send(id: string, message: Schemas['AgentClientMessage'], call: CallOptions = {}): Promise<Schemas['AgentAccepted']> {
    const safe = message.type !== 'user.message' || message.messageId !== undefined;
    return this.transport.json('POST', `${pathOf(id)}/messages`, { ...call, json: message, safe });
  }

  /** Yields the messages of a session behind a seq, through connections that break. Say hello first. */
  stream(id: string, options: CallOptions & { after?: string; clientId?: string; accept?: string[]; watch?: boolean } = {}): AsyncGenerator<HostMessage> {
    const { after, clientId, accept, watch, ...call } = options;
    return follow<HostMessage>({
      transport: this.transport, signal: call.signal, timeout: call.timeout, after, again: true,
      open: (at, signal) => {
        const headers = { ...call.headers, ...(at !== undefined && { 'last-event-id': at }) };
        return this.transport.request('GET', `${pathOf(id)}/stream`, { ...call, headers, signal, query: { clientId, watch, accept: accept?.join(',') }, stream: true });
      },
      read: raw => this.transport.parse(raw.data) as HostMessage,
      last: () => false,
    });
  }
}

const pathOf = (id: string): string => `/api/agent/sessions/${encodeURIComponent(id)}`;
