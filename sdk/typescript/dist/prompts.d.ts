import { type Transport } from './http.js';
import { Pages } from './pages.js';
import type { CallOptions, Prompt, PromptApproval, PromptEvent, PromptOutput, Schemas } from './types.js';
/** The answer to a question about a call: a yes or a no, or a yes with other arguments, or a no with a reason. */
export type Answer = boolean | {
    approved: boolean;
    input?: Record<string, unknown> | undefined;
    reason?: string | undefined;
};
export type PromptOptions = CallOptions & Partial<Schemas['PromptStart']> & {
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
/** A prompt that goes on: its events, or all that comes of it. Leaving the loop does not end it; cancel does. */
export declare class PromptStream implements AsyncIterable<PromptEvent> {
    private readonly prompts;
    private readonly events;
    private readonly onApproval;
    /** The prompt's id, once it has begun. */
    promptId: string | undefined;
    constructor(prompts: Prompts, events: AsyncGenerator<PromptEvent>, onApproval: PromptOptions['onApproval']);
    [Symbol.asyncIterator](): AsyncGenerator<PromptEvent>;
    private answer;
    /** Waits for the end. It throws what the prompt failed with. */
    final(): Promise<PromptResult>;
    /** Ends the prompt within a second. */
    cancel(): Promise<void>;
}
/** Asks language models. It needs the userId of the client. */
export declare class Prompts {
    private readonly transport;
    constructor(transport: Transport);
    /** Asks a model. Go through what is returned for the events, or wait for its final(). */
    start(input: string, options?: PromptOptions): PromptStream;
    /** The events of a prompt behind one, from its beginning without, and then new ones until the last. */
    events(id: string, options?: CallOptions & {
        after?: string;
        deltas?: boolean;
        onApproval?: PromptOptions['onApproval'];
    }): PromptStream;
    private from;
    get(id: string, call?: CallOptions): Promise<Prompt>;
    list(options?: CallOptions & {
        status?: string;
        conversationId?: string;
        since?: Date;
        until?: Date;
        limit?: number;
    }): Pages<Schemas['PromptSummary']>;
    delete(id: string, call?: CallOptions): Promise<Schemas['Deleted']>;
    /** Lets a tool be called, with other arguments where input has some. The same answer again is accepted. */
    approve(id: string, toolCallId: string, options?: CallOptions & {
        input?: Record<string, unknown> | undefined;
    }): Promise<Schemas['PromptDecided']>;
    /** Denies a call of a tool, and tells the model the reason. */
    reject(id: string, toolCallId: string, options?: CallOptions & {
        reason?: string | undefined;
    }): Promise<Schemas['PromptDecided']>;
    /** Ends a prompt within a second. One that has ended stays as it is. */
    cancel(id: string, call?: CallOptions): Promise<void>;
}
