import type { Transport } from './http.js';
import { Pages } from './pages.js';
import type { CallOptions, Run, RunEvent, Schemas } from './types.js';
/** Runs, and the workers that carry them out. They need the runsKey of the client. */
export declare class Runs {
    private readonly transport;
    constructor(transport: Transport);
    /** Asks for a run, once. */
    create(request: Schemas['RunRequest'], call?: CallOptions): Promise<Schemas['RunAnswer']>;
    get(id: string, call?: CallOptions): Promise<Run>;
    list(options?: CallOptions & {
        workspace_id?: string;
        agent_id?: string;
        requested_by?: string;
        status?: Schemas['RunStatus'];
        limit?: number;
    }): Pages<Run>;
    /** A page of a run's timeline behind a number. */
    events(id: string, options?: CallOptions & {
        after_seq?: number;
        limit?: number;
    }): Promise<Schemas['RunEvents']>;
    /** Yields a run's timeline behind a number until the run has ended, through connections that break. */
    follow(id: string, options?: CallOptions & {
        after?: number;
    }): AsyncGenerator<RunEvent>;
    control(id: string, request: Schemas['RunControlRequest'], call?: CallOptions): Promise<Schemas['RunControlled']>;
    stopAll(request?: Schemas['RunStopAll'], call?: CallOptions): Promise<Schemas['RunsStopped']>;
    /** A file of a run, for its worker. */
    file(id: string, artifactId: string, call?: CallOptions): Promise<Response>;
    workers(options?: CallOptions & {
        workspace_id?: string;
    }): Promise<Schemas['RunWorker'][]>;
    heartbeat(request: Schemas['RunHeartbeat'], call?: CallOptions): Promise<Schemas['RunHeartbeatAnswer']>;
    dispatched(id: string, request: Schemas['RunDispatch'], call?: CallOptions): Promise<Schemas['RunState']>;
    /** Relays an event of a worker. With its worker_seq it is there once, however often it is sent. */
    relay(id: string, event: Schemas['RunRelay'], call?: CallOptions): Promise<Schemas['RunRelayed']>;
}
