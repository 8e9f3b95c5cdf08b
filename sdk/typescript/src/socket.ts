import { APIError, ConnectionError, WindieError } from './errors.js';
import { builtin, newId, pauseOf, sleep, type Transport } from './http.js';
import type { CallOptions, Schemas, ServerMessage } from './types.js';

type ClientMessage = Schemas['WSClientMessage'];
/** The payload of a message that a client sends. */
export type Payload<T extends ClientMessage['type']> = Extract<ClientMessage, { type: T; payload: unknown }>['payload'];
/** The message of a type that the gateway sends. */
export type Message<T extends ServerMessage['type']> = Extract<ServerMessage, { type: T }>;

/** How often in a row connecting is tried again. */
const maxAttempts = 5;
/** The close code of a token that was revoked: connecting again is refused. */
const revoked = 4401;
/** A handshake that is not as it should be. */
const refused = 1008;
/** Types of messages that the gateway answers by their ids, and that may be sent twice. */
const answered = ['load-settings', 'update-settings', 'list-models', 'wakeword-detected'];
/** Milliseconds that a handshake may take. */
const handshakeTime = 10_000;

/** What a client says; without an id it gets a new one. */
export interface Sent {
  id?: string;
  type: string;
  payload: object;
}

/** Makes a socket. headers cannot be sent from a page. */
export type MakeSocket = (url: string, headers: Record<string, string>) => WebSocket;

/** Whether the platform's sockets send headers: those of pages do not. */
const sendsHeaders = () => builtin('node:fs') !== undefined;

const makeSocket: MakeSocket = (url, headers) => {
  return sendsHeaders() ? new (WebSocket as unknown as new (url: string, options: object) => WebSocket)(url, { headers }) : new WebSocket(url);
};

/** Gets a ticket, which opens one socket at a path of a hosted gateway in place of the token. */
export function socketTicket(t: Transport, path: string, call: CallOptions = {}): Promise<Schemas['SocketTicket']> {
  return t.json('POST', '/api/socket-tickets', { ...call, json: { path }, safe: true });
}

/** How far a conversation was heard: count messages of seq have come. */
interface Heard {
  before: number;
  seq: number;
  count: number;
  skip: number;
}

/** A socket at /ws that comes back by itself. Each message is heard once. */
export class Socket {
  private ws: WebSocket | undefined;
  private ready = false;
  private closed = false;
  private readonly outbox = new Map<string, string>(); // by id: what was said while there was no connection
  private readonly asked = new Map<string, string>(); // by id: what the gateway answers, and has not yet
  private readonly heard = new Map<string, Heard>();
  private readonly made: MakeSocket;

  constructor(
    private readonly transport: Transport,
    private readonly handshake: Schemas['WSHandshake'],
    private readonly on: {
      message(message: ServerMessage): void;
      /** What to send first on a new connection, behind the handshake. */
      back(): Sent[];
      /** The connection is gone for good. */
      end(error: WindieError): void;
    },
    make?: MakeSocket,
  ) {
    this.made = make ?? makeSocket;
  }

  /** Connects. It returns what the gateway says of the tools that the handshake brings. */
  async open(): Promise<Schemas['WSManifestResult'] | undefined> {
    const url = this.transport.baseURL.replace(/^http/, 'ws') + '/ws';
    const ws = this.made(url + (await this.ticket()), this.transport.headers());
    const check = newId();
    let manifest: Schemas['WSManifestResult'] | undefined;
    let opened = false;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new ConnectionError(`${url}: no answer to the handshake within ${handshakeTime} ms`));
        ws.close();
      }, handshakeTime);
      ws.onopen = () => {
        opened = true;
        ws.send(JSON.stringify(this.handshake));
        ws.send(JSON.stringify({ id: check, type: 'load-settings', payload: {} })); // its answer says that the handshake is taken
      };
      ws.onmessage = ({ data }) => {
        const message = this.transport.parse(String(data)) as ServerMessage;
        if (message.type === 'client-tool-manifest') manifest = message.payload;
        if (message.in_reply_to === check) {
          clearTimeout(timer);
          resolve();
        }
        if (this.ready || message.in_reply_to !== check) this.hear(message);
      };
      const gone = (code: number, reason: string, refusal?: APIError) => {
        clearTimeout(timer);
        ws.onerror = ws.onclose = null;
        const error = new ConnectionError(`${url}: the socket is closed (${code}) ${reason}`.trim());
        reject(refusal ?? (code === refused || code === revoked ? new WindieError(error.message) : error));
        if (this.ws === ws) this.lost(error, code);
      };
      ws.onerror = event => {
        ws.onclose = null; // it comes too
        const reason = (event as Partial<ErrorEvent>).message ?? 'it cannot be opened; a hosted gateway asks for a token';
        if (opened) gone(1006, reason);
        else void this.refusal().then(refusal => gone(1006, reason, refusal));
      };
      ws.onclose = event => gone(event.code, event.reason);
    });
    if (this.closed) { // while it was opened
      ws.close(1000);
      throw new ConnectionError('the session is closed');
    }
    this.ws = ws;
    this.ready = true;
    return manifest;
  }

  /** The part of the address that stands for the token where a socket cannot bring it. */
  private async ticket(): Promise<string> {
    if (this.made !== makeSocket || sendsHeaders() || !new Headers(this.transport.headers()).has('authorization')) return '';
    try {
      return `?ticket=${(await socketTicket(this.transport, '/ws')).ticket}`;
    } catch (error) {
      if (!(error instanceof APIError)) throw error;
      if (error.status === 404) return ''; // an older gateway
      throw error.status >= 500 || error.status === 429 ? new ConnectionError(error.message, { cause: error }) : error;
    }
  }

  /** Why the gateway refuses a socket: of its answer, platforms hand on nothing. */
  private async refusal(): Promise<APIError | undefined> {
    try {
      await this.transport.json('GET', '/ws');
    } catch (error) {
      if (error instanceof APIError && (error.status === 401 || error.status === 403)) return error;
    }
    return undefined;
  }

  /** Whether what is sent leaves now. */
  get isOpen(): boolean {
    return this.ready && this.ws?.readyState === 1;
  }

  /** Sends a message, now or on the next connection, and returns its id. What the gateway answers by that id is sent again until it does. */
  send(type: string, payload: object, id = newId()): string {
    const text = JSON.stringify({ id, type, payload });
    if (!this.closed && answered.includes(type)) this.asked.set(id, text);
    if (this.isOpen) this.ws!.send(text);
    else if (this.closed) throw new ConnectionError('the session is closed');
    else this.outbox.set(id, text);
    return id;
  }

  /** Takes back a message that was not sent yet, and reports whether there was one. */
  unsay(id: string): boolean {
    return this.outbox.delete(id);
  }

  private hear(message: ServerMessage): void {
    const { conversation_ref: ref, seq } = message;
    this.asked.delete(message.in_reply_to ?? '');
    if (ref !== undefined && seq !== undefined) {
      const h = this.heard.get(ref) ?? { before: 0, seq: 0, count: 0, skip: 0 };
      this.heard.set(ref, h);
      if (seq < h.seq) return;
      if (seq === h.seq && h.skip > 0) {
        h.skip--; // it came before the connection broke
        return;
      }
      if (seq > h.seq) Object.assign(h, { before: h.seq, seq, count: 0, skip: 0 });
      h.count++;
    }
    this.on.message(message);
  }

  private lost(error: WindieError, code: number): void {
    this.ready = false;
    this.ws = undefined;
    if (this.closed) return;
    if (code === revoked || code === refused) {
      this.closed = true;
      this.on.end(error);
      return;
    }
    this.transport.log({ event: 'reconnect', message: error.message });
    void this.comeBack(error);
  }

  private async comeBack(error: WindieError): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts && !this.closed; attempt++) {
      await sleep(pauseOf(attempt));
      try {
        await this.open();
      } catch (failure) {
        error = failure as WindieError;
        if (!(failure instanceof ConnectionError)) break;
        continue;
      }
      for (const message of this.on.back()) if (!this.outbox.has(message.id ?? '')) this.ws?.send(JSON.stringify({ id: newId(), ...message }));
      for (const text of new Map([...this.asked, ...this.outbox]).values()) this.ws?.send(text);
      this.outbox.clear();
      return;
    }
    if (this.closed) return;
    this.closed = true;
    this.on.end(error);
  }

  /** The message that asks for what happened in a conversation since the connection broke; undefined if nothing was heard of it. */
  resume(ref: string): Sent | undefined {
    const h = this.heard.get(ref);
    if (!h) return undefined;
    h.skip = h.count;
    return { type: 'resume', payload: { conversation_ref: ref, seq: h.before } };
  }

  close(): void {
    this.closed = true;
    this.ready = false;
    this.ws?.close(1000);
  }

  /** Breaks the connection, as a network does; for tests. */
  drop(): void {
    this.ws?.close();
  }
}
