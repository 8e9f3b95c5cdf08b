// The driver by which `windie conformance` holds this package to the dialogues; cmd/conformance/README.md has the protocol.
import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';
import { AgentClient, APIError, Pages, Windie, found, tool } from '@windie/sdk';

const calls = new Map();
/** Agents that are awake, by the calls that woke them up, and what their tools and questions wait for. */
const awake = new Map();
const say = line => process.stdout.write(JSON.stringify(line) + '\n');
const hash = async response => ({ sha256: createHash('sha256').update(Buffer.from(await response.arrayBuffer())).digest('hex') });

class Cannot extends Error {}
const cannot = why => { throw new Cannot(why); };

/** The picture of a question: the client stores pictures, and asks about what it has stored. */
const screenOf = (windie, image) => windie.screen(image?.artifact_id && !image.image_base64 ? { artifactId: image.artifact_id } : cannot('the client stores a picture before it asks about it'));
const asked = (windie, { image, ...rest }) => [screenOf(windie, image), rest];

/** Calls whose parameters are not (path…, {...query, ...body}). a has path, query, body, file; o is for the call itself. */
const special = {
  register: (w, { body }, o) => w.register(body?.operating_system, o),
  health: (w, _, o) => w.health(o), ready: (w, _, o) => w.ready(o), metrics: (w, _, o) => w.metrics(o),
  capabilities: (w, _, o) => w.capabilities(o), usage: (w, _, o) => w.usage(o),
  'artifacts.upload': (w, { file, name }, o) => w.artifacts.upload(Buffer.from(file ?? cannot('a file is missing'), 'base64'), { ...o, filename: name }),
  'artifacts.download': async (w, { path }, o) => hash(await w.artifacts.download(path.artifact_id, o)),
  'runs.file': async (w, { path }, o) => hash(await w.runs.file(path.run_id, path.artifact_id, o)),
  'tools.invoke': async (w, { path, body }, o) => w.tools.invoke(path.tool_id, body ?? {}, o),
  'decisions.approve': (w, { path, body: { approved, ...rest } }, o) => (approved ? w.decisions.approve(path.decision_id, { ...rest, ...o }) : w.decisions.reject(path.decision_id, { ...rest, ...o })),
  'prompts.approve': (w, { path, body: { toolCallId, ...rest } }, o) => w.prompts.approve(path.prompt_id, toolCallId, { ...rest, ...o }),
  'prompts.reject': (w, { path, body: { toolCallId, ...rest } }, o) => w.prompts.reject(path.prompt_id, toolCallId, { ...rest, ...o }),
  'prompts.start': (w, { body: { input, ...rest } }, o) => w.prompts.start(input, { ...rest, ...o }),
  'prompts.events': (w, { path, query }, o, after) => w.prompts.events(path.prompt_id, { ...o, ...(after && { after }), ...(query?.deltas && { deltas: true }) }),
  'general.chat': (w, { body: { general_session_id: id, message, ...rest } }, o, _, stream) => (stream ? w.general.chat(id, message, { ...rest, ...o }) : w.general.say(id, message, { ...rest, ...o })),
  'general.stream': (w, { query: { general_session_id: id } }, o, after) => w.general.stream(id, { ...o, ...(after && { after }) }),
  'general.toolResult': (w, { body: { general_session_id: id, tool_result: result } }, o) => w.general.toolResult(id, result, o),
  'general.cancel': (w, { body }, o) => w.general.cancel(body.general_session_id, o),
  'memory.write': (w, { body: { content, ...rest } }, o) => w.memory.write(content, { ...rest, ...o }),
  'memory.search': (w, { query: { q, ...rest } }, o) => w.memory.search(q, { ...rest, ...o }),
  'memory.get': (w, { query: { path, ...rest } }, o) => w.memory.get(path, { ...rest, ...o }),
  'memory.history': (w, { query: { path, ...rest } }, o) => w.memory.history(path, { ...rest, ...o }),
  'memory.deleteFile': (w, { query }, o) => w.memory.deleteFile(query.path, o),
  'embeddings.create': (w, { body: { text, ...rest } }, o) => w.embeddings.create(text, { ...rest, ...o }),
  'agent.toolCapabilities': (w, { path, query }, o) => w.agent.toolCapabilities(path.tool_name, { ...query, ...o }),
  'toolHosts.stream': (w, { path, query }, o, after) => w.toolHosts.stream(Object.values(path)[0], { ...query, accept: query?.accept?.split(','), ...o, ...(after && { after }) }),
  'runs.follow': (w, { path }, o, after) => w.runs.follow(path.run_id, { ...o, ...(after && { after: Number(after) }) }),
  'screen.diff': (w, { body: { before, after, ...rest } }, o) => screenOf(w, before).diff(screenOf(w, after), { ...rest, ...o }),
  'screen.at': (w, { body }, o) => { const [screen, { x, y, ...rest }] = asked(w, body); return screen.at(x, y, { ...rest, ...o }); },
  'screen.candidate': (w, { body }, o) => { const [screen, { candidate_id: id, ...rest }] = asked(w, body); return screen.candidate(id, { ...rest, ...o }); },
  wakeUp: ask,
};

/** Operations whose one parameter behind those of the path is the request itself. */
const whole = new Set(['semantic.summarize', 'semantic.title', 'plugins.putGrant', 'agent.promptPreview', 'agent.queryPlan', 'toolHosts.send', 'runs.create', 'runs.control', 'runs.stopAll', 'runs.heartbeat', 'runs.dispatched', 'runs.relay']);
/** Questions about a screen whose first parameter is one of these fields. */
const first = { find: 'text', candidates: 'text', resolve: 'text', locate: 'description', locateAll: 'description', element: 'id' };

/** Wakes an agent up with a tool of this program, asks it, and counts how often the tool ran. */
async function ask(windie, { tool: of, input }, { signal }) {
  let runs = 0;
  const agent = await new AgentClient(windie.options).wakeUp({ userId: windie.options.userId, tools: [tool({ ...of, risk: 'safe', run: () => `run ${++runs}` })] });
  try {
    return { ...(await agent.ask(input, { signal })), runs };
  } finally {
    agent.close();
  }
}

/** Wakes an agent up, and says what it hears until the call is aborted. */
async function session(id, windie, tools, signal) {
  const waits = new Map();
  const waitFor = request => waits.get(request) ?? waits.set(request, Promise.withResolvers()).get(request);
  const agent = await new AgentClient(windie.options).wakeUp({
    userId: windie.options.userId,
    tools: tools.map(name => tool({ name, schema: { type: 'object' }, run: async (_, { requestId }) => (await waitFor(requestId).promise).output })),
    onApproval: ({ requestId, local }) => local || waitFor(requestId).promise, // a tool of the program's own runs once it is answered
  });
  agent.session.on('*', message => say({ id, event: { event: message.type, data: message } }));
  awake.set(id, { agent, answer: (request, body) => waitFor(request).resolve(body) });
  say({ id, event: { event: 'open' } });
  await new Promise(resolve => signal.addEventListener('abort', resolve));
  agent.close();
}

/** Sends a message of an agent's, or answers what waits. */
function onSession(op, { call, name, body }) {
  const { agent, answer } = awake.get(call);
  if (op === 'session.answer') answer(name, body);
  else agent.session.send(name, body);
}

async function make(op, args, o, after, stream, windie) {
  if (special[op]) return special[op](windie, args, o, after, stream);
  const [group, name] = op.split('.');
  if (group === 'screen') {
    const [screen, { [first[name]]: text, ...rest }] = asked(windie, args.body);
    const options = { ...rest, ...o };
    const value = await (first[name] ? screen[name](text, options) : screen[name](options));
    return value?.status ? found(value) : value;
  }
  const path = Object.values(args.path ?? {});
  const { after: behind, ...query } = args.query ?? {};
  if (whole.has(op)) return windie[group][name](...path, args.body ?? {}, o);
  const value = windie[group][name](...path, { ...query, ...args.body, ...o });
  return value instanceof Pages ? new Pages(value.load, behind) : value;
}

async function run({ id, op, args = {}, opts }) {
  const { baseURL, userId, token, approvalKey, runsKey, idempotencyKey, lastEventId, stream } = opts;
  const windie = new Windie({ baseURL, userId, token, approvalKey, runsKey });
  const abort = new AbortController();
  calls.set(id, abort);
  try {
    if (op === 'session') return say({ id, ok: await session(id, windie, args.body.tools, abort.signal) ?? null });
    if (op === 'host') throw new Cannot('the client has no WebSocket at a tool host');
    if (op.startsWith('session.')) return say({ id, ok: onSession(op, args) ?? null });
    const value = await make(op, args, { signal: abort.signal, ...(idempotencyKey && { idempotencyKey }) }, lastEventId, stream, windie);
    if (!stream) return say({ id, ok: value ?? null });
    for await (const event of value) say({ id, event: event.event ? event : { data: event } });
    say({ id, ok: null });
  } catch (error) {
    if (error instanceof Cannot) return say({ id, cannot: error.message });
    const { code = '', status = 0, requestId = '' } = error instanceof APIError ? error : {};
    say({ id, error: { code, status, requestId: requestId ?? '', message: String(error?.message ?? error) } });
  }
}

say({ language: 'typescript' });
for await (const line of createInterface({ input: process.stdin })) {
  const call = JSON.parse(line);
  if (call.op === 'abort') {
    calls.get(call.args.call)?.abort(new Error('aborted'));
    say({ id: call.id, ok: null });
  } else void run(call);
}
