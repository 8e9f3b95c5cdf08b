/**
 * The client of a Windie gateway.
 *
 *     const windie = new Windie();
 *     const target = await windie.screen('shot.png').resolve('Check out');
 *     if (target.status === 'found') click(target.point.x, target.point.y);
 */
export { Agent, AgentClient, AgentSession } from './agent.js';
export { APIError, AmbiguousMatchError, ConnectionError, NoMatchError, RateLimitError, TimeoutError, ToolPendingError, TurnRunningError, ValidationError, WindieError, } from './errors.js';
export { Pages } from './pages.js';
export { Screen, found } from './perception.js';
export { PromptStream } from './prompts.js';
export { moduleTool, tool } from './tools.js';
export { VERSION, Windie, fileTokenStore } from './windie.js';
