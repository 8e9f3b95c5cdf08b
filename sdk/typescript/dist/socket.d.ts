import { WindieError } from './errors.js';
import { type Transport } from './http.js';
import type { Schemas, ServerMessage } from './types.js';
type ClientMessage = Schemas['WSClientMessage'];
/** The payload of a message that a client sends. */
export type Payload<T extends ClientMessage['type']> = Extract<ClientMessage, {
    type: T;
    payload: unknown;
}>['payload'];
/** The message of a type that the gateway sends. */
export type Message<T extends ServerMessage['type']> = Extract<ServerMessage, {
    type: T;
}>;
/** Makes a socket. headers cannot be sent from a page. */
export type MakeSocket = (url: string, headers: Record<string, string>) => WebSocket;
/** A socket at /ws that comes back by itself. Each message is heard once. */
export declare class Socket {
    private readonly transport;
    private readonly handshake;
    private readonly on;
    private ws;
    private ready;
    private closed;
    private readonly outbox;
    private readonly heard;
    private readonly made;
    constructor(transport: Transport, handshake: Schemas['WSHandshake'], on: {
        message(message: ServerMessage): void;
        /** What to send first on a new connection, behind the handshake. */
        back(): object[];
        /** The connection is gone for good. */
        end(error: WindieError): void;
    }, make?: MakeSocket);
    /** Connects. It returns what the gateway says of the tools that the handshake brings. */
    open(): Promise<Schemas['WSManifestResult'] | undefined>;
    /** Sends a message, now or on the next connection, and returns its id. */
    send(type: string, payload: object, id?: string): string;
    private hear;
    private lost;
    private comeBack;
    /** The message that asks for what happened in a conversation since the connection broke; undefined if nothing was heard of it. */
    resume(ref: string): object | undefined;
    close(): void;
    /** Breaks the connection, as a network does; for tests. */
    drop(): void;
}
export {};
