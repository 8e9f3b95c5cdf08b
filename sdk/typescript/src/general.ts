import { newId, type Transport } from './http.js';
import { Pages } from './pages.js';
import { split } from './perception.js';
import { follow, type RawEvent } from './sse.js';
import type { CallOptions, GeneralEvent, Schemas } from './types.js';

/** The general agent service, at /v1: sessions whose tools the program runs. */
export class General {
  constructor(private readonly transport: Transport) {}

  /** Begins a session, or goes on with one. */
  openSession(options: CallOptions & Schemas['V1SessionRequest'] = {}): Promise<Schemas['V1Session']> {
    const [call, json] = split(options);
    return this.transport.json('POST', '/v1/sessions', { ...call, json, keyed: true });
  }

  sessions(options: CallOptions & { limit?: number; after?: string } = {}): Pages<Schemas['V1SessionSummary']> {
    const [call, query] = split(options);
    return new Pages(async after => {
      const page = await this.transport.json<Schemas['V1SessionList']>('GET', '/v1/sessions', { ...call, query: { ...query, after } });
      return { items: page.sessions, next: page.next };
    }, options.after);
  }

  deleteSession(id: string, call: CallOptions = {}): Promise<Schemas['Deleted']> {
    return this.transport.json('DELETE', `/v1/sessions/${encodeURIComponent(id)}`, call);
  }

  /** Says something, and yields what happens until the agent's last words, through connections that break. A message without an id gets one. */
  chat(session: string, message: string | Schemas['V1Message'], options: CallOptions = {}): AsyncGenerator<GeneralEvent> {
    const json = { general_session_id: session, message: messageOf(message), stream: true };
    return follow<GeneralEvent>({
      transport: this.transport, signal: options.signal, timeout: options.timeout, again: true,
      open: (after, signal) =>
        after === undefined
          ? this.transport.request('POST', '/v1/chat', { ...options, json, signal, stream: true, safe: true })
          : this.from(session, after, { ...options, idempotencyKey: undefined, signal }),
      read: raw => eventOf(this.transport, raw),
      last: e => e.event === 'assistant.final' || e.event === 'error',
    });
  }

  /** Says something, and returns the agent's last words. Its calls of tools are answered from elsewhere. */
  async say(session: string, message: string | Schemas['V1Message'], call: CallOptions = {}): Promise<Schemas['V1Answer']> {
    return this.transport.json('POST', '/v1/chat', { timeout: 600_000, ...call, json: { general_session_id: session, message: messageOf(message), stream: false }, safe: true });
  }

  /** Yields what happens in a session behind an event, until nothing happens any longer. */
  stream(session: string, options: CallOptions & { after?: string } = {}): AsyncGenerator<GeneralEvent> {
    const { after, ...call } = options;
    return follow<GeneralEvent>({
      transport: this.transport, signal: call.signal, timeout: call.timeout, after, again: true,
      open: (at, signal) => this.from(session, at, { ...call, signal }), read: raw => eventOf(this.transport, raw), last: () => false,
    });
  }

  private from(session: string, after: string | undefined, call: CallOptions): Promise<Response> {
    const headers = { ...call.headers, ...(after !== undefined && { 'last-event-id': after }) };
    return this.transport.request('GET', '/v1/stream', { ...call, headers, query: { general_session_id: session }, stream: true });
  }

  /** Answers a tool.request. The same result again is accepted. */
  toolResult(session: string, result: Schemas['V1ToolResult'], call: CallOptions = {}): Promise<Schemas['V1Accepted']> {
    return this.transport.json('POST', '/v1/tools/result', { ...call, json: { general_session_id: session, tool_result: result }, safe: true });
  }

  /** Ends what the agent works on. */
  cancel(session: string, call: CallOptions = {}): Promise<Schemas['V1Canceled']> {
    return this.transport.json('POST', '/v1/cancel', { ...call, json: { general_session_id: session }, safe: true });
  }
}

/** A message with an id: what is sent again with it is the same message. */
const messageOf = (message: string | Schemas['V1Message']): Schemas['V1Message'] => {
  const said = typeof message === 'string' ? { parts: [{ type: 'text' as const, text: message }] } : message;
  return { ...said, id: said.id ?? newId() };
};

function eventOf(transport: Transport, raw: RawEvent): GeneralEvent {
  return { event: raw.event, data: transport.parse(raw.data), ...(raw.id !== undefined && { id: raw.id }) } as GeneralEvent;
}

/** What the user's memory holds, at /v1/memory. */
export class Memory {
  constructor(private readonly transport: Transport) {}

  /** Remembers something; of a chat, say in which session. */
  write(content: string, options: CallOptions & Partial<Schemas['V1MemoryWrite']> = {}): Promise<Schemas['V1MemoryWritten']> {
    const [call, body] = split(options);
    return this.transport.json('POST', '/v1/memory/write', { ...call, json: { target: 'daily', content, ...body }, keyed: true });
  }

  async search(q: string, options: CallOptions & { kind?: Schemas['MemoryKind']; limit?: number } = {}): Promise<Schemas['V1MemoryResult'][]> {
    return (await this.find(q, options)).results;
  }

  /** Searches likewise, and says why it was searched by words alone where it is searched by meaning otherwise. */
  find(q: string, options: CallOptions & { kind?: Schemas['MemoryKind']; limit?: number } = {}): Promise<Schemas['V1MemoryResults']> {
    const [call, query] = split(options);
    return this.transport.json('GET', '/v1/memory/search', { ...call, query: { q, ...query } });
  }

  get(path: string, options: CallOptions & { line_start?: number; line_end?: number } = {}): Promise<Schemas['V1MemoryPassage']> {
    const [call, query] = split(options);
    return this.transport.json('GET', '/v1/memory/get', { ...call, query: { path, ...query } });
  }

  async files(call: CallOptions = {}): Promise<Schemas['V1MemoryFile'][]> {
    return (await this.transport.json<Schemas['V1MemoryFiles']>('GET', '/v1/memory/files', call)).files;
  }

  /** Puts text in place of what was read of a file, from line_start on. Fails with MEMORY_CHANGED if it is not so any longer. */
  edit(path: string, was: string, text: string, options: CallOptions & { line_start?: number } = {}): Promise<Schemas['V1MemoryWritten']> {
    const [call, body] = split(options);
    return this.transport.json('PUT', '/v1/memory/files', { ...call, json: { path, was, text, ...body }, safe: false }); // where was is empty, text would be added twice
  }

  /** What was changed of a file, the newest first. Editing was back in place of text takes a change back. */
  async history(path: string, options: CallOptions & { limit?: number } = {}): Promise<Schemas['V1MemoryChange'][]> {
    const [call, query] = split(options);
    return (await this.transport.json<Schemas['V1MemoryHistory']>('GET', '/v1/memory/history', { ...call, query: { path, ...query } })).changes;
  }

  deleteFile(path: string, call: CallOptions = {}): Promise<Schemas['Deleted']> {
    return this.transport.json('DELETE', '/v1/memory/files', { ...call, query: { path } });
  }

  deleteAll(call: CallOptions = {}): Promise<Schemas['Deleted']> {
    return this.transport.json('DELETE', '/v1/memory', call);
  }
}
