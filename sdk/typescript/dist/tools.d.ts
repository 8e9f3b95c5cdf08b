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
        jsonSchema?: {
            input(options: {
                target: string;
            }): Record<string, unknown>;
        };
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
export declare function tool<T = Record<string, unknown>>(of: Omit<LocalTool, 'run'> & {
    run(input: T, context: ToolContext): unknown;
}): LocalTool;
/** Makes a tool of a function in a module, which is loaded at the first call. The function gets the input and the context. */
export declare function moduleTool({ module, ...of }: ModuleTool): LocalTool;
/** The JSON Schema of a tool. */
export declare function jsonSchemaOf(of: LocalTool): JsonSchema;
/** Checks a call's input by the tool's schema, where that can, and returns what the tool gets. */
export declare function inputOf(of: LocalTool, input: Record<string, unknown>): Promise<Record<string, unknown>>;
