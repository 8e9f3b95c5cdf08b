/**
 * The client of a Windie gateway.
 *
 *     const windie = new Windie();
 *     const target = await windie.screen('shot.png').resolve('Check out');
 *     if (target.status === 'found') click(target.point.x, target.point.y);
 */
export { Agent, AgentClient, AgentSession } from './agent.js';
export type { AgentClientOptions, Approval, AskOptions, AskResult, WakeUpOptions } from './agent.js';
export {
  APIError, AmbiguousMatchError, ConnectionError, NoMatchError, RateLimitError, TimeoutError, ToolPendingError, TurnRunningError, ValidationError, WindieError,
} from './errors.js';
export type { ClientOptions, LogEntry } from './http.js';
export { LocalRuntime } from './local-runtime.js';
export type { LocalApproval, LocalRuntimeOptions } from './local-runtime.js';
export { Pages } from './pages.js';
export type { Page } from './pages.js';
export { Screen, found } from './perception.js';
export type { FindOptions, LocateOptions, Resolution, ScreenSource } from './perception.js';
export { PromptStream } from './prompts.js';
export type { Answer, PromptOptions, PromptResult } from './prompts.js';
export type { HostMessage } from './toolhosts.js';
export { moduleTool, tool } from './tools.js';
export type { LocalTool, ModuleTool, StandardSchema, ToolContext, ToolScreen } from './tools.js';
export type * from './types.js';
export { VERSION } from './version.js';
export { Windie, fileTokenStore } from './windie.js';
export type { TokenStore } from './windie.js';
