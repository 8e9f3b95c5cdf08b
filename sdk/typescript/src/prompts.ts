import { APIError, errorOf } from './errors.js';
import { newId, unlessAborted, type Transport } from './http.js';
import { Pages } from './pages.js';
import { split } from './perception.js';
import { follow, type RawEvent } from './sse.js';
import type { CallOptions, Prompt, PromptApproval, PromptEvent, PromptOutput, Schemas } from './types.js';

/** The answer to a question about a call: a yes or a no, or a yes with other arguments, or a no with a reason. */
export type Answer = boolean | { approved: boolean; input?: Record<string, unknown> | undefined; reason?: string | undefined };

export type PromptOptions = CallOptions &
  Partial<Schemas['PromptStart']> & {
    /** Answers questions about calls, so that nobody has to look for them among the events. */
    onApproval?: ((approval: PromptApproval) => Answer | Promise<Answer>) | undefined;
  };

/** What came of a prompt. */
export interface PromptResult {
  promptId: string;
  /** All that the model said. */
  text: string;
  outputs: PromptOutput[];
  usage: Schemas['PromptUsage'];
}

const path = (id: string, below = '') => `/api/prompts/${encodeURIComponent(id)}${below}`;

/** Reads an event of a prompt. One that this package does not know is handed on as it is. */
function eventOf(transport: Transport, raw: RawEvent): PromptEvent {
  return { event: raw.event, data: transport.parse(raw.data), ...(raw.id !== undefined && { id: raw.id }) } as PromptEvent;
}

/** A prompt that goes on: its events, or all that comes of it. Leaving the loop does not end it; cancel does. */
export class PromptStream implements AsyncIterable<PromptEvent> {
  /** The prompt's id, once it has begun. */
  promptId: string | undefined;

  constructor(
    private readonly prompts: Prompts,
    private readonly events: AsyncGenerator<PromptEvent>,
    private readonly onApproval: PromptOptions['onApproval'],
    private readonly signal: AbortSignal | undefined,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<PromptEvent> {
    for await (const event of this.events) {
      if (event.event === 'prompt.created') this.promptId = event.data.promptId;
      if (event.event === 'prompt.approval' && event.data.answered) continue; // who acts on it would do it twice
      if (event.event === 'prompt.approval' && this.onApproval) await this.answer(event.data, await unlessAborted(this.onApproval(event.data), this.signal));
      yield event;
    }
  }

  private async answer(approval: PromptApproval, answer: Answer): Promise<void> {
    const { approved, input, reason } = typeof answer === 'boolean' ? { approved: answer } as Exclude<Answer, boolean> : answer;
    const done = approved ? this.prompts.approve(approval.promptId, approval.toolCallId, { input }) : this.prompts.reject(approval.promptId, approval.toolCallId, { reason });
    await done.catch((error: unknown) => {
      if (!(error instanceof APIError) || !['DECISION_CONFLICT', 'DECISION_EXPIRED'].includes(error.code)) throw error; // somebody else has answered
    });
  }

  /** Waits for the end. It throws what the prompt failed with. */
  async final(): Promise<PromptResult> {
    const outputs: PromptOutput[] = [];
    for await (const event of this) {
      if (event.event === 'prompt.output') outputs.push(event.data);
      if (event.event === 'prompt.completed') {
        const text = outputs.flatMap(o => (o.type === 'text' && o.content ? [o.content] : [])).join('\n');
        return { promptId: event.data.promptId, text, outputs, usage: event.data.usage };
      }
      if (event.event === 'error') throw promptError(event.data);
    }
    throw errorOf({ status: 0, code: 'INTERNAL', message: 'the stream ended before the prompt did' });
  }

  /** Ends the prompt within a second. */
  async cancel(): Promise<void> {
    if (this.promptId !== undefined) await this.prompts.cancel(this.promptId);
  }
}

function promptError(data: Schemas['PromptError']): APIError {
  return errorOf({ status: 0, code: data.code ?? (data.reason ?? 'failed').toUpperCase(), message: data.message, details: data.resets_at ? { resets_at: data.resets_at } : {} });
}

/** Asks language models. It needs the userId of the client. */
export class Prompts {
  constructor(private readonly transport: Transport) {}

  /** Asks a model. Go through what is returned for the events, or wait for its final(). */
  start(input: string, options: PromptOptions = {}): PromptStream {
    const { onApproval, ...rest } = options;
    const [call, body] = split(rest);
    const key = call.idempotencyKey ?? newId();
    let id: string | undefined;
    const deltas = rest.deltas ? { deltas: true } : {};
    const events = follow<PromptEvent>({
      transport: this.transport, signal: call.signal, timeout: call.timeout, again: true,
      open: (after, signal) =>
        id === undefined
          ? this.transport.request('POST', '/api/prompt', { ...call, idempotencyKey: key, json: { input, ...body }, signal, stream: true })
          : this.from(id, after, { ...call, idempotencyKey: undefined, signal }, deltas),
      read: raw => {
        const event = eventOf(this.transport, raw);
        if (event.event === 'prompt.created') id = event.data.promptId;
        return event;
      },
      last: isLast,
    });
    return new PromptStream(this, events, onApproval, call.signal);
  }

  /** The events of a prompt behind one, from its beginning without, and then new ones until the last. */
  events(id: string, options: CallOptions & { after?: string; deltas?: boolean; onApproval?: PromptOptions['onApproval'] } = {}): PromptStream {
    const { after, deltas, onApproval, ...call } = options;
    const events = follow<PromptEvent>({
      transport: this.transport, signal: call.signal, timeout: call.timeout, after, again: true,
      open: (at, signal) => this.from(id, at, { ...call, signal }, deltas ? { deltas } : {}),
      read: raw => eventOf(this.transport, raw), last: isLast,
    });
    const stream = new PromptStream(this, events, onApproval, call.signal);
    stream.promptId = id;
    return stream;
  }

  private from(id: string, after: string | undefined, call: CallOptions, query: object): Promise<Response> {
    const headers = { ...call.headers, ...(after !== undefined && { 'last-event-id': after }) };
    return this.transport.request('GET', path(id, '/events'), { ...call, headers, query, stream: true });
  }

  get(id: string, call: CallOptions = {}): Promise<Prompt> {
    return this.transport.json('GET', path(id), call);
  }

  list(options: CallOptions & { status?: string; conversationId?: string; since?: Date; until?: Date; limit?: number; after?: string } = {}): Pages<Schemas['PromptSummary']> {
    const [call, query] = split(options);
    return new Pages(async after => {
      const page = await this.transport.json<Schemas['PromptList']>('GET', '/api/prompts', { ...call, query: { ...query, after } });
      return { items: page.prompts, next: page.next };
    }, options.after);
  }

  delete(id: string, call: CallOptions = {}): Promise<Schemas['Deleted']> {
    return this.transport.json('DELETE', path(id), call);
  }

  /** Lets a tool be called, with other arguments where input has some. The same answer again is accepted. */
  approve(id: string, toolCallId: string, options: CallOptions & { input?: Record<string, unknown> | undefined } = {}): Promise<Schemas['PromptDecided']> {
    const [call, body] = split(options);
    return this.transport.json('POST', path(id, '/approve'), { ...call, json: { toolCallId, ...body }, safe: true });
  }

  /** Denies a call of a tool, and tells the model the reason. */
  reject(id: string, toolCallId: string, options: CallOptions & { reason?: string | undefined } = {}): Promise<Schemas['PromptDecided']> {
    const [call, body] = split(options);
    return this.transport.json('POST', path(id, '/reject'), { ...call, json: { toolCallId, ...body }, safe: true });
  }

  /** Ends a prompt within a second. One that has ended stays as it is. */
  async cancel(id: string, call: CallOptions = {}): Promise<void> {
    await this.transport.request('POST', path(id, '/cancel'), { ...call, safe: true });
  }
}

const isLast = (event: PromptEvent) => event.event === 'prompt.completed' || event.event === 'error';
