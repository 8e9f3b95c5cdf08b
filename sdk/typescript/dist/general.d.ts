import { type Transport } from './http.js';
import { Pages } from './pages.js';
import type { CallOptions, GeneralEvent, Schemas } from './types.js';
/** The general agent service, at /v1: sessions whose tools the program runs. */
export declare class General {
    private readonly transport;
    constructor(transport: Transport);
    /** Begins a session, or goes on with one. */
    openSession(options?: CallOptions & Schemas['V1SessionRequest']): Promise<Schemas['V1Session']>;
    sessions(options?: CallOptions & {
        limit?: number;
    }): Pages<Schemas['V1SessionSummary']>;
    deleteSession(id: string, call?: CallOptions): Promise<Schemas['Deleted']>;
    /** Says something, and yields what happens until the agent's last words, through connections that break. */
    chat(session: string, message: string | Schemas['V1Message'], options?: CallOptions): AsyncGenerator<GeneralEvent>;
    /** Says something, and returns the agent's last words. Its calls of tools are answered from elsewhere. */
    say(session: string, message: string | Schemas['V1Message'], call?: CallOptions): Promise<Schemas['V1Answer']>;
    /** Yields what happens in a session behind an event, until nothing happens any longer. */
    stream(session: string, options?: CallOptions & {
        after?: string;
    }): AsyncGenerator<GeneralEvent>;
    private from;
    /** Answers a tool.request. The same result again is accepted. */
    toolResult(session: string, result: Schemas['V1ToolResult'], call?: CallOptions): Promise<Schemas['V1Accepted']>;
    /** Ends what the agent works on. */
    cancel(session: string, call?: CallOptions): Promise<Schemas['V1Canceled']>;
}
/** What the user's memory holds, at /v1/memory. */
export declare class Memory {
    private readonly transport;
    constructor(transport: Transport);
    /** Remembers something; of a chat, say in which session. */
    write(content: string, options?: CallOptions & Partial<Schemas['V1MemoryWrite']>): Promise<Schemas['V1MemoryWritten']>;
    search(q: string, options?: CallOptions & {
        kind?: Schemas['MemoryKind'];
        limit?: number;
    }): Promise<Schemas['V1MemoryResult'][]>;
    get(path: string, options?: CallOptions & {
        line_start?: number;
        line_end?: number;
    }): Promise<Schemas['V1MemoryPassage']>;
    files(call?: CallOptions): Promise<Schemas['V1MemoryFile'][]>;
    deleteFile(path: string, call?: CallOptions): Promise<Schemas['Deleted']>;
    deleteAll(call?: CallOptions): Promise<Schemas['Deleted']>;
}
