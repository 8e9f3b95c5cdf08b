import { type Transport } from './http.js';
/** A server-sent event, as it came. */
export interface RawEvent {
    id: string | undefined;
    event: string;
    data: string;
}
/** Reads server-sent events (HTML standard, section 9.2), however their bytes are cut. alive is called for every piece. */
export declare function readEvents(body: ReadableStream<Uint8Array>, alive?: () => void): AsyncGenerator<RawEvent>;
export interface Follow<E> {
    transport: Transport;
    signal?: AbortSignal | undefined;
    timeout?: number | undefined;
    /** Opens the stream behind the event of an id, undefined for the beginning. */
    open(after: string | undefined, signal: AbortSignal): Promise<Response>;
    /** Makes an event of what came; undefined for one to leave out. */
    read(raw: RawEvent): E | undefined;
    /** Whether an event is the last. */
    last(event: E): boolean;
    after?: string | undefined;
    /** Whether the stream can be opened again, where it broke before its first event. */
    again?: boolean;
}
/** Yields the events of a stream until the last, through connections that break. Leaving the loop closes the connection. */
export declare function follow<E>(f: Follow<E>): AsyncGenerator<E>;
