import type { components } from './schema.js';

/** All schemas of the gateway's API document, by their names there. */
export type Schemas = components['schemas'];

export type Artifact = Schemas['Artifact'];
export type Box = Schemas['Box'];
export type Conversation = Schemas['ConversationSummary'];
export type Decision = Schemas['Decision'];
export type Element = Schemas['Element'];
export type ErrorCode = Schemas['ErrorCode'];
export type GeneralEvent = Schemas['GeneralEvent'];
export type Overlay = Schemas['Overlay'];
export type Point = Schemas['Point'];
export type Prompt = Schemas['Prompt'];
export type PromptApproval = Schemas['PromptApproval'];
export type PromptEvent = Schemas['PromptEvent'];
export type PromptOutput = Schemas['PromptOutput'];
export type Region = Schemas['Region'];
export type Row = Schemas['Row'];
export type Run = Schemas['Run'];
export type RunEvent = Schemas['RunEvent'];
export type ServerMessage = Schemas['WSServerMessage'];
export type Target = Schemas['Target'];
export type Tool = Schemas['Tool'];
export type ToolCall = Schemas['V1ToolCall'];

/** A JSON Schema. */
export type JsonSchema = Record<string, unknown>;

/** What each call can say for itself. */
export interface CallOptions {
  /** Ends the call. What the gateway has begun may go on: a prompt is ended by cancel. */
  signal?: AbortSignal | undefined;
  /** Milliseconds that the call may take, of a stream those that it may be silent. */
  timeout?: number | undefined;
  /** How often the call is tried again where that does no harm. */
  maxRetries?: number | undefined;
  headers?: Record<string, string> | undefined;
  /**
   * Any text that no other request has. The same request with the same key is done once. Without one, a call that
   * makes something has one of its own, so that it can be tried again.
   */
  idempotencyKey?: string | undefined;
}
