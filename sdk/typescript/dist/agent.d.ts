import { type ClientOptions } from './http.js';
import { type ScreenSource } from './perception.js';
import type { Answer } from './prompts.js';
import { Socket, type MakeSocket, type Message } from './socket.js';
import { type LocalTool } from './tools.js';
import type { CallOptions, Schemas, ServerMessage } from './types.js';
import { Windie } from './windie.js';
/** A question about a call, for the user. */
export interface Approval {
    toolName: string;
    parameters: Record<string, unknown>;
    reason: string;
    requestId: string;
    /** The tool is one of this program's, which asks by itself. */
    local: boolean;
}
export interface WakeUpOptions {
    userId?: string | undefined;
    /** What the model is told to be. It comes with each query, before the conversation. */
    systemPrompt?: string | undefined;
    /** The folder that the user works in; modules of tools are found from there. */
    workspacePath?: string | undefined;
    tools?: LocalTool[] | undefined;
    /** Answers questions about calls that can change something. Without it such calls of the gateway's tools are denied; tools of this program run. */
    onApproval?: ((approval: Approval) => Answer | Promise<Answer>) | undefined;
    disabledTools?: string[] | undefined;
    operatingSystem?: string | undefined;
}
export interface AskOptions extends Pick<CallOptions, 'signal'> {
    conversationRef?: string | undefined;
    /** The id of an artifact that shows the screen. */
    screenshotRef?: string | undefined;
    /** The screen itself, which is uploaded. */
    screenshot?: ScreenSource | undefined;
    onBusy?: 'reject' | 'queue' | 'interrupt' | undefined;
    queryContext?: Schemas['QueryContext'] | undefined;
}
/** What a turn ended with. */
export interface AskResult {
    text: string;
    conversationRef: string;
    turnRef: string | undefined;
}
type Handler<T extends ServerMessage['type']> = (event: Message<T>) => void;
type AnyHandler = (event: ServerMessage) => void;
/** What is heard of the agent. */
export declare class AgentSession {
    readonly socket: () => Socket;
    private readonly handlers;
    constructor(socket: () => Socket);
    /** Calls handler for each message of a type, or for all with '*'. It returns what takes the handler off. */
    on<T extends ServerMessage['type']>(type: T, handler: Handler<T>): () => void;
    on(type: '*', handler: AnyHandler): () => void;
    /** Waits for the next message of a type. */
    next<T extends ServerMessage['type']>(type: T, accept?: (event: Message<T>) => boolean): Promise<Message<T>>;
    /** Sends a message of any type, and returns its id. */
    send(type: Schemas['WSClientMessage']['type'], payload?: object): string;
    /** @internal */
    tell(event: ServerMessage): void;
}
/** An agent that is awake: its conversations, and the tools that run here. */
export declare class Agent {
    private readonly windie;
    private readonly options;
    readonly session: AgentSession;
    /** Which of this program's tools the gateway took. */
    manifest: Schemas['WSManifestResult'] | undefined;
    private readonly socket;
    private readonly open;
    private readonly results;
    private readonly unheard;
    private readonly life;
    private readonly conversationRef;
    /** @internal */
    constructor(windie: Windie, options: WakeUpOptions, make?: MakeSocket);
    /** @internal */
    connect(): Promise<this>;
    /** Says something to the agent and waits for what it says at the end of the turn. An aborted signal ends the turn. */
    ask(text: string, options?: AskOptions): Promise<AskResult>;
    /** Says something to the agent, and returns the id of the message. What comes of it, the session hears. */
    query(text: string, options?: AskOptions): Promise<string>;
    private say;
    /** Ends the open turn of a conversation. */
    cancel(conversationRef?: string): void;
    /** Puts a history in place of the gateway's. */
    rehydrate(messages: Schemas['HistoryMessage'][], conversationRef?: string): void;
    /** The user's settings. */
    settings(): Promise<Schemas['WSSettings']>;
    updateSettings(change: Schemas['WSSettingsChange']): Promise<string[]>;
    models(): Promise<Schemas['ModelList']>;
    private reply;
    private hear;
    /** Notes how far the turns are. */
    private track;
    /** Runs a tool once, however often it is asked for, and sends what came of it. */
    private call;
    private bundle;
    private once;
    private report;
    private run;
    private approve;
    /** What is sent on a new connection: the queries that nothing was heard of, where to go on, and the results that may be lost. */
    private back;
    private end;
    /** Ends the connection. Turns go on without it. */
    close(): void;
    [Symbol.asyncDispose](): Promise<void>;
}
export interface AgentClientOptions extends Omit<ClientOptions, 'baseURL'> {
    /** The gateway, as baseURL of Windie. */
    backendUrl?: string | undefined;
    /** Makes the socket, where the platform's has no headers and the gateway asks for a token. */
    webSocket?: MakeSocket | undefined;
}
/** Wakes agents up. */
export declare class AgentClient {
    private readonly options;
    /** Asks everything else of the same gateway. */
    readonly windie: Windie;
    constructor(options?: AgentClientOptions);
    /** Connects, brings the tools, and returns an agent that can be asked. Close it when it is not needed any longer. */
    wakeUp(options?: WakeUpOptions): Promise<Agent>;
}
export {};
