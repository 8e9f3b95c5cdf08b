import { APIError, ConnectionError, WindieError, errorOf } from './errors.js';
import { builtin, newId, type ClientOptions } from './http.js';
import { upload, type ScreenSource } from './perception.js';
import type { Answer } from './prompts.js';
import { Socket, type MakeSocket, type Message, type Sent } from './socket.js';
import { inputOf, jsonSchemaOf, type LocalTool, type ToolScreen } from './tools.js';
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
  /** The id of an artifact that shows the screen, or the path of a file, from the workspace or from here, which is uploaded. */
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
export class AgentSession {
  private readonly handlers = new Map<string, Set<AnyHandler>>();

  constructor(readonly socket: () => Socket) {}

  /** Calls handler for each message of a type, or for all with '*'. It returns what takes the handler off. */
  on<T extends ServerMessage['type']>(type: T, handler: Handler<T>): () => void;
  on(type: '*', handler: AnyHandler): () => void;
  on(type: string, handler: (event: never) => void): () => void {
    const set = this.handlers.get(type) ?? new Set();
    this.handlers.set(type, set);
    set.add(handler as AnyHandler);
    return () => set.delete(handler as AnyHandler);
  }

  /** Waits for the next message of a type. */
  next<T extends ServerMessage['type']>(type: T, accept: (event: Message<T>) => boolean = () => true): Promise<Message<T>> {
    return new Promise(resolve => {
      const off = this.on(type, event => {
        if (accept(event)) {
          off();
          resolve(event);
        }
      });
    });
  }

  /**
   * Sends a message of any type, and returns its id. What the gateway answers by that id (load-settings, update-settings, list-models,
   * wakeword-detected) is sent again on each connection until the answer is heard; another one is lost if the connection breaks while it is on the way.
   */
  send(type: Schemas['WSClientMessage']['type'], payload: object = {}): string {
    return this.socket().send(type, payload);
  }

  /** @internal */
  tell(event: ServerMessage): void {
    for (const handler of [...(this.handlers.get(event.type) ?? []), ...(this.handlers.get('*') ?? [])]) handler(event);
  }
}

/** A query whose turn has not ended. */
interface Open {
  id: string;
  ref: string;
  payload: object;
  begun: boolean;
  /** Nobody waits for its end. */
  gone: boolean;
  turnRef: string | undefined;
  error: APIError | undefined;
  resolve(result: AskResult): void;
  reject(error: unknown): void;
}

/** A request that has no answer yet. */
interface Pending {
  type: string;
  payload: object;
  answer: string;
  resolve(answer: ServerMessage): void;
  reject(error: unknown): void;
}

/** An answer that the gateway may not have: it has it when it reports the outcome of the call, or that the turn has ended, and wants none that it refuses. */
interface Report {
  id: string;
  ref: string | undefined;
  /** The model's id for the call; undefined for a bundle. */
  call: string | undefined;
  type: string;
  payload: object;
}

/** Most calls that run at once, and results that are kept so that a call which is sent again is not run again. */
const maxKept = 500;
/** Refusals that another try may not meet. */
const passing = new Set(['RATE_LIMITED', 'OVERLOADED', 'STATE_UNAVAILABLE', 'STORAGE_UNAVAILABLE', 'TIMEOUT']);
const tooMany = `not run: ${maxKept} calls already run at this client, the maximum; wait until one ends`;

/** An agent that is awake: its conversations, and the tools that run here. */
export class Agent {
  readonly session = new AgentSession(() => this.socket);
  /** Which of this program's tools the gateway took. */
  manifest: Schemas['WSManifestResult'] | undefined;
  private readonly socket: Socket;
  private readonly open: Open[] = [];
  private named = false; // the gateway says on this connection which queries began turns; an older one does not
  private readonly requests = new Map<string, Pending>();
  private readonly results = new Map<string, Promise<object>>(); // by the id of the request
  private readonly running = new Set<string>(); // of results
  private readonly unheard = new Map<string, Report>(); // by the id of the request
  private readonly life = new AbortController();
  private readonly conversationRef = `conv_${newId()}`;

  /** @internal */
  constructor(
    private readonly windie: Windie,
    private readonly options: WakeUpOptions,
    make?: MakeSocket,
  ) {
    const tools = (options.tools ?? []).map(t => ({
      name: t.name, description: t.description ?? t.name, execution_target: 'local_runtime', schema: jsonSchemaOf(t), ...(t.risk && { risk: t.risk }),
    }));
    const handshake: Schemas['WSHandshake'] = {
      type: 'handshake',
      user_id: options.userId ?? windie.transport.options.userId ?? 'local',
      agent_definition: {
        version: 1,
        approvals: 'client',
        tools: {
          mode: 'default_plus_client',
          ...(tools.length > 0 && { client_manifest: { version: 1, tools } }),
          ...(options.disabledTools && { disabled_tools: options.disabledTools }),
        },
        ...(options.operatingSystem && { runtime: { operating_system: options.operatingSystem } }),
      },
    };
    this.socket = new Socket(windie.transport, handshake, { message: m => this.hear(m), back: () => this.back(), end: e => this.end(e) }, make);
  }

  /** @internal */
  async connect(): Promise<this> {
    this.manifest = await this.socket.open();
    const rejected = this.manifest?.rejected ?? [];
    if (rejected.length > 0) {
      this.close();
      throw new WindieError(`the gateway rejected these tools: ${rejected.map(t => `${t.name} (${t.reason})`).join(', ')}`);
    }
    return this;
  }

  /**
   * Says something to the agent and waits for what it says at the end of the turn. An aborted signal ends that turn and no other; a question
   * that waits for another's end is not asked.
   */
  async ask(text: string, options: AskOptions = {}): Promise<AskResult> {
    options.signal?.throwIfAborted();
    const opened = await this.say(text, options);
    const aborted = () => {
      opened.reject(options.signal?.reason);
      this.giveUp(opened);
    };
    options.signal?.addEventListener('abort', aborted, { once: true });
    if (options.signal?.aborted) aborted(); // since the question was sent
    try {
      return await opened.done;
    } finally {
      options.signal?.removeEventListener('abort', aborted);
    }
  }

  /** Cancels a turn whose end nobody waits for. A question that was not sent yet never is. A cancel that is lost with its connection, back sends again. */
  private giveUp(opened: Open): void {
    const at = this.open.indexOf(opened);
    if (at < 0) return; // its end was heard, or there is no connection any more
    opened.gone = true;
    if (this.socket.unsay(opened.id)) this.open.splice(at, 1);
    else if (this.socket.isOpen) this.socket.send('cancel', cancelOf(opened));
  }

  /** Says something to the agent, and returns the id of the message. What comes of it, the session hears. */
  async query(text: string, options: AskOptions = {}): Promise<string> {
    const opened = await this.say(text, options);
    opened.done.catch(() => {}); // nobody waits
    return opened.id;
  }

  private async say(text: string, o: AskOptions): Promise<Open & { done: Promise<AskResult> }> {
    const ref = o.conversationRef ?? this.conversationRef;
    const { systemPrompt, workspacePath } = this.options;
    const picture = o.screenshot ?? (await fileNamed(o.screenshotRef, workspacePath));
    const screenshot = picture === undefined ? o.screenshotRef : (await upload(this.windie.transport, picture, { signal: o.signal })).artifact_id;
    const payload = {
      text, conversation_ref: ref,
      ...(screenshot !== undefined && { screenshot_ref: screenshot }),
      ...(workspacePath !== undefined && { workspace_path: workspacePath }),
      ...(systemPrompt !== undefined && { repo_instruction_messages: [{ path: 'system-prompt', content: systemPrompt }] }),
      ...(o.onBusy && { on_busy: o.onBusy }),
      ...(o.queryContext && { query_context: o.queryContext }),
    };
    o.signal?.throwIfAborted();
    const waiting = Promise.withResolvers<AskResult>();
    const opened = { id: newId(), ref, payload, begun: false, gone: false, turnRef: undefined, error: undefined, ...waiting, done: waiting.promise };
    this.socket.send('query', payload, opened.id);
    this.open.push(opened);
    return opened;
  }

  /** Ends the open turn of a conversation. */
  cancel(conversationRef = this.conversationRef): void {
    this.socket.send('cancel', { conversation_ref: conversationRef });
  }

  /** Puts a history in place of the gateway's. */
  rehydrate(messages: Schemas['HistoryMessage'][], conversationRef = this.conversationRef): void {
    this.socket.send('rehydrate-conversation', { conversation_ref: conversationRef, messages, rehydrate_mode: 'replace' });
  }

  /** The user's settings. */
  async settings(): Promise<Schemas['WSSettings']> {
    return (await this.reply('load-settings', {}, 'settings-loaded')).payload.config;
  }

  async updateSettings(change: Schemas['WSSettingsChange']): Promise<string[]> {
    return (await this.reply('update-settings', change, 'settings-updated')).payload.updated_keys;
  }

  async models(): Promise<Schemas['ModelList']> {
    return (await this.reply('list-models', {}, 'models-listed')).payload;
  }

  private reply<T extends ServerMessage['type']>(type: string, payload: object, answer: T): Promise<Message<T>> {
    const id = this.socket.send(type, payload);
    return new Promise((resolve, reject) => this.requests.set(id, { type, payload, answer, resolve: resolve as Pending['resolve'], reject }));
  }

  private hear(message: ServerMessage): void {
    this.track(message);
    switch (message.type) {
      case 'tool-call':
        if (!message.payload.answered) void this.call(message.payload, message.conversation_ref);
        break;
      case 'tool-bundle':
        if (!message.payload.answered) void this.bundle(message.payload, message.conversation_ref);
        break;
      case 'approval-request':
        if (!message.payload.answered) void this.approve(message.payload, message.conversation_ref);
        break;
    }
    this.session.tell(message);
  }

  /** Forgets the answers that the gateway needs no longer. */
  private settle(message: ServerMessage): void {
    const { type, payload, conversation_ref: ref } = message;
    const has = (r: Report) => {
      if (type === 'tool-output') return r.ref === ref && r.call !== undefined && r.call === payload.metadata?.tool_call_id;
      if (type === 'error') return r.id === message.in_reply_to && !passing.has(payload.code ?? '');
      return type === 'streaming-complete' && r.ref === ref;
    };
    for (const [asked, report] of this.unheard) if (has(report)) this.unheard.delete(asked);
  }

  /** Notes how far the turns are. */
  private track(message: ServerMessage): void {
    this.settle(message);
    const request = this.requests.get(message.in_reply_to ?? '');
    if (message.type === 'error') request?.reject(errorOf(failureOf(message)));
    else if (message.type === request?.answer) request.resolve(message);
    if (request) this.requests.delete(message.in_reply_to!);
    const refused = message.type === 'error' && message.in_reply_to !== undefined ? this.open.findIndex(o => o.id === message.in_reply_to) : -1;
    if (refused >= 0 && message.type === 'error') {
      const [opened] = this.open.splice(refused, 1);
      opened!.reject(errorOf(failureOf(message)));
      return;
    }
    const opened = this.about(message);
    if (!opened) return;
    opened.begun = true;
    opened.turnRef = message.turn_ref;
    if (message.type === 'error') opened.error = errorOf(failureOf(message));
    if (message.type !== 'streaming-complete') return;
    this.open.splice(this.open.indexOf(opened), 1);
    if (opened.error) opened.reject(opened.error);
    else opened.resolve({ text: message.payload.final_response ?? '', conversationRef: opened.ref, turnRef: opened.turnRef });
  }

  /** The open query whose turn a message belongs to. */
  private about({ conversation_ref: ref, turn_ref: turn, query_ref: query }: ServerMessage): Open | undefined {
    if (query !== undefined) {
      this.named = true;
      return this.open.find(o => o.id === query);
    }
    if (turn === undefined) return undefined;
    const here = this.open.filter(o => o.ref === ref);
    return here.find(o => o.turnRef === turn) ?? (this.named ? undefined : here.find(o => o.turnRef === undefined)); // the first turn that begins
  }

  /** Runs a tool once, however often it is asked for, and sends what came of it. */
  private async call(asked: Schemas['WSToolCallPayload'], ref: string | undefined): Promise<void> {
    const { request_id: id } = asked;
    const result = this.once(id, async () => {
      const done = await this.run(asked.tool_name, asked.parameters, id, asked.risk, asked.reason);
      return { request_id: id, ...done };
    });
    if (result) this.report(ref, 'tool-result', id, asked.metadata?.tool_call_id, await result);
    else this.refuse('tool-result', { request_id: id, success: false, data: {}, error: tooMany });
  }

  private async bundle(asked: Schemas['WSToolBundlePayload'], ref: string | undefined): Promise<void> {
    const { bundle_id: id } = asked;
    const result = this.once(id, async () => {
      const steps: object[] = [];
      let failed: string | null = null;
      let screenshot: string | undefined;
      for (const [i, step] of asked.tools.entries()) {
        const done = await this.run(step.name, step.args, `${id}.${i}`, step.risk, step.reason);
        screenshot = done.data.screenshot_ref ?? screenshot;
        steps.push({ tool: step.name, status: done.success ? 'ok' : 'error', output: done.data.output, ...(done.error !== null && { error: done.error }) });
        if (!done.success) {
          failed = done.error;
          break;
        }
      }
      const status = failed === null ? 'success' : steps.length > 1 ? 'partial_failure' : 'failure';
      return { bundle_id: id, status, step_results: steps, error: failed, ...(screenshot && { screenshot_ref: screenshot }) };
    });
    if (result) this.report(ref, 'tool-bundle-result', id, undefined, await result);
    else this.refuse('tool-bundle-result', { bundle_id: id, status: 'failure', step_results: [], error: tooMany });
  }

  /** The one result of a call; undefined where as many calls run as may. In place of a result that is kept goes one that the gateway has: it asks for no call again that has an answer. */
  private once(id: string, run: () => Promise<object>): Promise<object> | undefined {
    const before = this.results.get(id);
    if (before) return before;
    if (this.results.size >= maxKept) {
      const old = [...this.results.keys()].find(asked => !this.running.has(asked) && !this.unheard.has(asked));
      if (old === undefined) return undefined;
      this.results.delete(old);
    }
    this.running.add(id);
    const result = run();
    this.results.set(id, result);
    return result;
  }

  private report(ref: string | undefined, type: string, asked: string, call: string | undefined, payload: object): void {
    const report = { id: newId(), ref, call, type, payload };
    this.unheard.set(asked, report);
    this.running.delete(asked);
    if (!this.life.signal.aborted) this.socket.send(type, payload, report.id);
  }

  /** Says that a call is not run, on this connection alone: on another one the gateway asks again. */
  private refuse(type: string, payload: object): void {
    if (this.socket.isOpen) this.socket.send(type, payload);
  }

  private async run(name: string, input: Record<string, unknown>, requestId: string, risk?: string, reason?: string): Promise<Outcome> {
    const tool = this.options.tools?.find(t => t.name === name);
    if (!tool) return { success: false, data: {}, error: `this client has no tool ${name}` };
    try {
      let given = input;
      if (risk === 'risky' && this.options.onApproval) {
        const answer = full(await this.options.onApproval({ toolName: name, parameters: input, reason: reason ?? '', requestId, local: true }));
        if (!answer.approved) return { success: false, data: {}, error: `the user denied it${answer.reason ? `: ${answer.reason}` : ''}` };
        given = answer.input ?? input;
      }
      const context = { toolName: name, requestId, workspacePath: this.options.workspacePath, signal: this.life.signal };
      const output = await tool.run(await inputOf(tool, given), context);
      if (!showsScreen(output)) return { success: true, data: { output: plain(name, output) }, error: null };
      const data = { output: plain(name, output.output) };
      const { artifact_id } = await upload(this.windie.transport, output.screenshot);
      return { success: true, data: { ...data, screenshot_ref: artifact_id }, error: null };
    } catch (error) {
      return { success: false, data: {}, error: error instanceof Error ? error.message : String(error) };
    }
  }

  private async approve(asked: Schemas['WSApprovalRequestPayload'], ref: string | undefined): Promise<void> {
    const decide = ({ approved, input, reason }: Exclude<Answer, boolean>) => {
      if (this.life.signal.aborted) return;
      const decision = { request_id: asked.request_id, approved, ...(input && { parameters: input }), ...(reason && { reason }) };
      JSON.stringify(decision); // throws where input is no JSON, before it is kept
      this.report(ref, 'approval-decision', asked.request_id, asked.metadata?.tool_call_id, decision);
    };
    try {
      const { onApproval } = this.options;
      if (!onApproval) return decide({ approved: false, reason: 'this program cannot ask a user' });
      decide(full(await onApproval({ toolName: asked.tool_name, parameters: asked.parameters, reason: asked.reason, requestId: asked.request_id, local: false })));
    } catch (error) { // also where the answer is none, or no JSON
      decide({ approved: false, reason: String(error) });
    }
  }

  /** What is sent on a new connection: the queries that nothing was heard of, where to go on, cancels of those that were given up, and the results that may be lost. */
  private back(): Sent[] {
    this.named = false;
    const again = new Set<string>();
    const messages: Sent[] = [];
    for (const opened of this.open.splice(0)) {
      const { id, ref, payload, begun } = opened;
      if (opened.gone) {
        messages.push({ type: 'cancel', payload: cancelOf(opened) });
        continue;
      }
      this.open.push(opened);
      const resume = begun ? this.socket.resume(ref) : undefined;
      if (!resume) messages.push({ id, type: 'query', payload });
      else if (!again.has(ref)) messages.push(resume);
      again.add(ref);
    }
    for (const { id, type, payload } of this.unheard.values()) messages.push({ id, type, payload });
    return messages;
  }

  private end(error: WindieError): void {
    this.life.abort(error);
    for (const waiting of [...this.open.splice(0), ...this.requests.values()]) waiting.reject(error);
    this.requests.clear();
  }

  /** Ends the connection. Turns go on without it. */
  close(): void {
    this.socket.close();
    this.end(new ConnectionError('the agent is closed'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }
}

/** What cancels the turn of a query, and no other. */
const cancelOf = ({ ref, id }: Open) => ({ conversation_ref: ref, query_id: id });

/** The file that a reference names which is no id of an artifact, as shot.png. */
async function fileNamed(ref: string | undefined, folder = '.'): Promise<string | undefined> {
  const files = builtin<{ access(path: string): Promise<void> }>('node:fs/promises');
  if (!files || !ref || /^[\da-f]{8}-/.test(ref)) return undefined;
  for (const path of [`${folder}/${ref}`, ref]) if (await files.access(path).then(() => true, () => false)) return path;
  return undefined;
}

interface Outcome {
  success: boolean;
  data: { output?: unknown; screenshot_ref?: string };
  error: string | null;
}

const full = (answer: Answer): Exclude<Answer, boolean> => (typeof answer === 'boolean' ? { approved: answer } : answer);

/** What a tool returned, as JSON has it. The tool may change its own later. */
function plain(name: string, output: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(output ?? ''));
  } catch (error) {
    throw new WindieError(`the result of ${name} cannot be encoded as JSON: ${String(error)}`);
  }
}

const showsScreen = (output: unknown): output is ToolScreen => typeof output === 'object' && output !== null && 'screenshot' in output;

const failureOf = ({ payload }: Message<'error'>) => ({
  status: 0, code: payload.code ?? (payload.reason ?? 'failed').toUpperCase(), message: payload.message, details: payload.details,
});

export interface AgentClientOptions extends ClientOptions {
  /** @deprecated The desktop reference's name for baseURL. */
  backendUrl?: string | undefined;
  /** Makes the socket, where the platform's has no headers and the gateway asks for a token. */
  webSocket?: MakeSocket | undefined;
}

/** Wakes agents up. */
export class AgentClient {
  /** Asks everything else of the same gateway. */
  readonly windie: Windie;

  constructor(private readonly options: AgentClientOptions = {}) {
    const { backendUrl, webSocket: _, ...rest } = options;
    this.windie = new Windie({ ...rest, baseURL: rest.baseURL ?? backendUrl });
  }

  /** Connects, brings the tools, and returns an agent that can be asked. Close it when it is not needed any longer. */
  async wakeUp(options: WakeUpOptions = {}): Promise<Agent> {
    return new Agent(this.windie, options, this.options.webSocket).connect();
  }
}
