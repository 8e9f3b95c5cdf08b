import { ConnectionError, TimeoutError, WindieError } from './errors.js';
import { builtin, env } from './http.js';
import type { LocalTool, ToolContext, ToolScreen } from './tools.js';
import type { JsonSchema } from './types.js';
import { VERSION } from './version.js';

/** A call of this machine that can change something. */
export interface LocalApproval {
  /** The tool, its arguments and why it is asked about, for the user to read. */
  message: string;
}

export interface LocalRuntimeOptions {
  /** The program; by default WINDIE_BIN of the environment, or else `windie` on PATH. */
  command?: string | undefined;
  /** The folder of files that tools may use; by default one in the data folder of Windie. */
  dir?: string | undefined;
  /** More arguments of `windie mcp --computer`, as ['--program', 'make', '--read-only']. */
  args?: string[] | undefined;
  /** Variables of the program's environment, besides those of this one. */
  env?: Record<string, string> | undefined;
  /**
   * Allows a call that can change something. Without it such calls are denied. Where the agent's own onApproval has asked already,
   * give () => true.
   */
  onApproval?: ((approval: LocalApproval) => boolean | Promise<boolean>) | undefined;
  /** Chooses tools by name; by default those of the machine, as the gateway has the others itself. */
  only?: ((name: string) => boolean) | undefined;
  /** Milliseconds that a call may take; default 2 min. */
  timeout?: number | undefined;
}

/** What is used of a program of node:child_process. */
interface Program {
  stdin: { write(text: string): void; end(): void; on(event: 'error', heard: () => void): void };
  stdout: AsyncIterable<Uint8Array>;
  stderr: { on(event: 'data', heard: (chunk: unknown) => void): void };
  kill(signal?: string): boolean;
  once(event: 'close', heard: (code: number | null, signal: string | null) => void): void;
  once(event: 'error', heard: (error: Error & { code?: string }) => void): void;
}

interface Content {
  type: string;
  text?: string;
  data?: string;
}

interface Message {
  id?: number | string;
  method?: string;
  params?: { message?: string };
  result?: unknown;
  error?: { message: string };
}

interface McpTool {
  name: string;
  description?: string;
  inputSchema: JsonSchema;
  annotations?: { readOnlyHint?: boolean };
}

const protocol = '2025-06-18';
/** Milliseconds that the program may take to begin, and to end once its input has. */
const beginTime = 30_000;
const endTime = 5_000;
/** How much of what the program says about itself stands in an error. */
const maxSaid = 1_000;
/** Names of tools that the gateway has itself. */
const gatewaysOwn = /^(artifact|memory|ocr|vision|web)_|^screen_(at|diff|elements)$/;

/**
 * The tools of this machine (its screen, files, programs), by the installed program `windie`, which runs for as long as this does:
 *
 *     const runtime = await LocalRuntime.start({ dir: '/home/ada/project' });
 *     const agent = await new AgentClient().wakeUp({ tools: runtime.tools });
 *     …
 *     await runtime.close();
 */
export class LocalRuntime {
  /** What an agent can be given. */
  readonly tools: LocalTool[] = [];
  private readonly waiting = new Map<number, PromiseWithResolvers<unknown>>();
  private readonly ended: Promise<void>;
  private failure: WindieError | undefined;
  private said = '';
  private last = 0;

  private constructor(
    private readonly program: Program,
    command: string,
    private readonly options: LocalRuntimeOptions,
  ) {
    program.stdin.on('error', () => {}); // that the program is gone shows elsewhere
    program.stderr.on('data', chunk => (this.said = (this.said + String(chunk)).slice(-maxSaid)));
    this.ended = new Promise(resolve => {
      program.once('error', error => {
        this.fail(error.code === 'ENOENT' ? missing(command) : new ConnectionError(`windie: ${command} cannot be started: ${error.message}`, { cause: error }));
        resolve();
      });
      program.once('close', (code, signal) => {
        this.fail(new ConnectionError(`windie: the program ${command} has ended (${signal ?? code}). ${this.said}`.trim()));
        resolve();
      });
    });
    void this.read().catch(error => {
      this.fail(new ConnectionError(`windie: what the program ${command} says cannot be read: ${String(error)}`, { cause: error }));
      this.program.kill();
    });
  }

  /** Starts the program, and asks for its tools. */
  static async start(options: LocalRuntimeOptions = {}): Promise<LocalRuntime> {
    type Spawn = (command: string, args: string[], options: object) => Program;
    const spawn = builtin<{ spawn: Spawn }>('node:child_process')?.spawn;
    if (!spawn) throw new TypeError('windie: no programs can be started here; a LocalRuntime needs Node, Bun or Deno');
    const command = options.command ?? env('WINDIE_BIN') ?? 'windie';
    const args = ['mcp', '--computer', ...(options.dir === undefined ? [] : ['--dir', options.dir]), ...(options.args ?? [])];
    const runtime = new LocalRuntime(spawn(command, args, { stdio: 'pipe', windowsHide: true, ...(options.env && { env: { ...process.env, ...options.env } }) }), command, options);
    try {
      await runtime.begin();
      return runtime;
    } catch (error) {
      await runtime.close();
      throw error;
    }
  }

  private async begin(): Promise<void> {
    const clientInfo = { name: '@windie/sdk', version: VERSION };
    await this.ask('initialize', { protocolVersion: protocol, capabilities: { elicitation: {} }, clientInfo }, beginTime);
    this.send({ method: 'notifications/initialized' });
    const only = this.options.only ?? (name => !gatewaysOwn.test(name));
    let cursor: string | undefined;
    do {
      const page = (await this.ask('tools/list', cursor === undefined ? {} : { cursor }, beginTime)) as { tools: McpTool[]; nextCursor?: string };
      for (const { name, description, inputSchema, annotations } of page.tools) {
        if (!only(name)) continue;
        this.tools.push({ name, description, schema: inputSchema, risk: annotations?.readOnlyHint ? 'safe' : 'risky', run: (input, context) => this.call(name, input, context) });
      }
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  /** Calls a tool. A picture in its answer is the screen behind the call. */
  async call(name: string, input: Record<string, unknown> = {}, context: Partial<ToolContext> = {}): Promise<string | ToolScreen> {
    const answer = (await this.ask('tools/call', { name, arguments: input }, this.options.timeout ?? 120_000, context.signal)) as { content: Content[]; isError?: boolean };
    const output = answer.content.flatMap(part => (part.type === 'text' ? [part.text ?? ''] : [])).join('\n');
    if (answer.isError) throw new WindieError(output || `${name} failed`);
    const picture = answer.content.findLast(part => part.type === 'image')?.data;
    return picture === undefined ? output : { output, screenshot: `data:image/png;base64,${picture}` };
  }

  /** Ends the program. It ends with this one too, however this one ends, as its input does then. */
  async close(): Promise<void> {
    this.program.stdin.end();
    const timer = setTimeout(() => this.program.kill('SIGKILL'), endTime);
    await this.ended;
    clearTimeout(timer);
  }

  private send(message: object): void {
    this.program.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  private async ask(method: string, params: object, limit: number, signal?: AbortSignal): Promise<unknown> {
    signal?.throwIfAborted();
    if (this.failure) throw this.failure;
    const id = ++this.last;
    const answer = Promise.withResolvers<unknown>();
    this.waiting.set(id, answer);
    const give = (reason: unknown) => {
      this.send({ method: 'notifications/cancelled', params: { requestId: id } });
      answer.reject(reason);
    };
    const timer = setTimeout(() => give(new TimeoutError(`windie: ${method} took longer than ${limit} ms`)), limit);
    const aborted = () => give(signal?.reason);
    signal?.addEventListener('abort', aborted, { once: true });
    this.send({ id, method, params });
    try {
      return await answer.promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
      this.waiting.delete(id);
    }
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of this.program.stdout) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const message = messageOf(line);
        if (message) await this.hear(message);
      }
    }
  }

  private hear({ id, method, params, result, error }: Message): void | Promise<void> {
    if (method !== undefined) return id === undefined ? undefined : void this.answer(id, method, params?.message ?? '');
    const waiting = this.waiting.get(Number(id));
    if (error) waiting?.reject(new WindieError(error.message));
    else waiting?.resolve(result);
  }

  /** Answers what the program asks: whether it is heard, and whether a call may be made. */
  private async answer(id: number | string, method: string, message: string): Promise<void> {
    if (method === 'ping') this.send({ id, result: {} });
    else if (method === 'elicitation/create') {
      const allowed = await Promise.resolve().then(() => this.options.onApproval?.({ message })).catch(() => false);
      this.send({ id, result: allowed ? { action: 'accept', content: {} } : { action: 'decline' } });
    } else this.send({ id, error: { code: -32601, message: 'the client does not know this method' } });
  }

  private fail(failure: WindieError): void {
    this.failure ??= failure;
    for (const { reject } of this.waiting.values()) reject(this.failure);
  }
}

/** The message that a line is; undefined where it is none: a script around the program may print a greeting. */
function messageOf(line: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === 'object' && message !== null ? message : undefined;
  } catch {
    return undefined;
  }
}

function missing(command: string): WindieError {
  return new WindieError(
    `windie: there is no program ${JSON.stringify(command)}: install Windie on this machine and have windie on PATH, or name the program in WINDIE_BIN, or as command of LocalRuntime.start`,
  );
}

declare const process: { env: Record<string, string | undefined> };
