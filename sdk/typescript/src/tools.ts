import { WindieError } from './errors.js';
import { builtin } from './http.js';
import type { ScreenSource } from './perception.js';
import type { JsonSchema } from './types.js';

/** What a tool knows of its call. */
export interface ToolContext {
  toolName: string;
  requestId: string;
  workspacePath: string | undefined;
  /** Ends when the agent is closed. */
  signal: AbortSignal;
}

/** A schema of Standard Schema (zod, valibot, arktype …), as far as tools use it. */
export interface StandardSchema {
  '~standard': {
    validate(value: unknown): unknown;
    jsonSchema?: { input(options: { target: string }): Record<string, unknown> };
  };
  toJSONSchema?: () => unknown;
}

/** What a tool may return to show the screen behind it. Anything else is its output as it is. */
export interface ToolScreen {
  output?: unknown;
  /** The screen after the call. What the model says next is found on it. */
  screenshot: ScreenSource;
}

/** A tool that runs in this program. */
export interface LocalTool {
  name: string;
  description?: string | undefined;
  schema: JsonSchema | StandardSchema;
  /** safe: it changes nothing. risky: the user is asked, by onApproval. */
  risk?: 'safe' | 'risky' | undefined;
  run(input: Record<string, unknown>, context: ToolContext): unknown;
}

/** A tool whose function is in a module. */
export interface ModuleTool extends Omit<LocalTool, 'run'> {
  /**
   * MODULE:FUNCTION. The module is a path from the workspace with or without its ending, the same with dots for slashes
   * (my_project.tools is my_project/tools.mjs, .js, .ts …), or the name of a package.
   */
  module: string;
}

/** Makes a tool of a function. */
export function tool<T = Record<string, unknown>>(of: Omit<LocalTool, 'run'> & { run(input: T, context: ToolContext): unknown }): LocalTool {
  return of as LocalTool;
}

/** Makes a tool of a function in a module, which is loaded at the first call. The function gets the input and the context. */
export function moduleTool({ module, ...of }: ModuleTool): LocalTool {
  const [path, name] = splitModule(module);
  let loaded: Promise<(input: unknown, context: ToolContext) => unknown> | undefined;
  return {
    ...of,
    async run(input, context) {
      loaded ??= load(path, name, context.workspacePath);
      loaded.catch(() => (loaded = undefined));
      return (await loaded)(input, context);
    },
  };
}

function splitModule(spec: string): [path: string, name: string] {
  const colon = spec.lastIndexOf(':');
  if (colon < 1 || colon === spec.length - 1) throw new TypeError(`windie: ${JSON.stringify(spec)} is no MODULE:FUNCTION, as "my_project.tools:save_note"`);
  return [spec.slice(0, colon), spec.slice(colon + 1)];
}

const endings = ['', '.mjs', '.js', '.cjs', '.ts', '.mts', '/index.mjs', '/index.js', '/index.ts'];

async function load(spec: string, name: string, workspace: string | undefined): Promise<(input: unknown, context: ToolContext) => unknown> {
  const files = builtin<{ existsSync(path: string): boolean; statSync(path: string): { isFile(): boolean } }>('node:fs');
  const paths = builtin<{ resolve(...parts: string[]): string }>('node:path');
  const urls = builtin<{ pathToFileURL(path: string): URL }>('node:url');
  let url = spec;
  if (files && paths && urls) {
    const stems = [spec, spec.replaceAll('.', '/')].map(stem => paths.resolve(workspace ?? '.', stem));
    const found = stems.flatMap(stem => endings.map(ending => stem + ending)).find(path => files.existsSync(path) && files.statSync(path).isFile());
    if (found) url = urls.pathToFileURL(found).href;
  }
  const module = (await import(/* @vite-ignore */ url)) as Record<string, unknown>;
  const fn = module[name] ?? (module['default'] as Record<string, unknown> | undefined)?.[name];
  if (typeof fn !== 'function') throw new WindieError(`the module ${spec} has no function ${name}`);
  return fn as (input: unknown, context: ToolContext) => unknown;
}

/** The JSON Schema of a tool. */
export function jsonSchemaOf(of: LocalTool): JsonSchema {
  const { schema } = of;
  if (!('~standard' in schema)) return schema;
  const standard = schema as StandardSchema;
  const json = standard['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }) ?? standard.toJSONSchema?.();
  if (!json) throw new TypeError(`windie: the schema of ${of.name} cannot be turned into JSON Schema; give it as JSON Schema`);
  return json as JsonSchema;
}

/** Checks a call's input by the tool's schema, where that can, and returns what the tool gets. */
export async function inputOf(of: LocalTool, input: Record<string, unknown>): Promise<Record<string, unknown>> {
  if (!('~standard' in of.schema)) return input; // the gateway has checked it
  const result = (await (of.schema as StandardSchema)['~standard'].validate(input)) as { value?: unknown; issues?: { message: string }[] };
  if (result.issues) throw new WindieError(`invalid input: ${result.issues.map(i => i.message).join('; ')}`);
  return result.value as Record<string, unknown>;
}
