import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { AgentClient, Windie, moduleTool, tool } from '@windie/sdk';
import { card, cut, hosted, local, someone } from './env.mjs';

const end = 'All three notes are kept.';
const schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false };

/** A tool that counts what it was called with. */
function counting() {
  const notes = [];
  return { notes, save: tool({ name: 'save_note', schema, run: ({ text }) => (notes.push(text), `kept ${text}`) }) };
}

async function eventually(check) {
  for (let i = 0; i < 200 && !check(); i++) await new Promise(resolve => setTimeout(resolve, 50));
  assert.ok(check());
}

test('the example of the reference', async t => {
  const workspacePath = await mkdtemp(path.join(tmpdir(), 'windie-'));
  await mkdir(path.join(workspacePath, 'my_project'));
  await writeFile(path.join(workspacePath, 'my_project', 'tools.mjs'), `
    import { appendFile } from 'node:fs/promises';
    export const save_note = async ({ text }, { workspacePath }) => { await appendFile(workspacePath + '/notes', text + '\\n'); return 'kept'; };`);

  const client = new AgentClient({ baseURL: local });
  const shot = await client.windie.artifacts.upload(card);
  const agent = await client.wakeUp({
    userId: 'dev-user',
    systemPrompt: 'You are a concise coding agent.',
    workspacePath,
    tools: [
      moduleTool({
        name: 'save_note',
        module: 'my_project.tools:save_note',
        schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false },
      }),
    ],
  });
  t.after(() => agent.close());
  const heard = [];
  agent.session.on('tool-schemas', event => heard.push(...event.payload.tool_schemas));
  const { text } = await agent.ask('Click the orange search button', { conversationRef: 'conv_123', screenshotRef: shot.artifact_id });
  assert.ok(text.endsWith(end));
  assert.ok(heard.some(t => t.function.name === 'save_note'));
  assert.deepEqual((await readFile(path.join(workspacePath, 'notes'), 'utf8')).split('\n').sort(), ['', 'note 1', 'note 2', 'note 3']);
  agent.close();
});

test('wherever the connection breaks, each call runs once', async t => {
  const types = [];
  const talk = async cutAt => {
    const { notes, save } = counting();
    const client = new AgentClient({ baseURL: local });
    const agent = await client.wakeUp({ userId: someone(), tools: [save] });
    const ids = [];
    let count = 0;
    let broken;
    agent.session.on('*', event => {
      if (event.conversation_ref === undefined) return;
      if (cutAt === 0) types.push(event.type);
      ids.push(event.id);
      if (++count === cutAt) broken = cut();
    });
    const { text } = await agent.ask('Keep three notes');
    await broken;
    assert.ok(text.endsWith(end), `cut behind message ${cutAt}: ${text}`);
    assert.deepEqual(notes.toSorted(), ['note 1', 'note 2', 'note 3'], `cut behind message ${cutAt}`);
    agent.close();
  };
  await talk(0);
  for (let n = 1; n < types.length; n++) await talk(n);
});

test('questions about calls, the settings, and turns that are ended', async t => {
  const asked = [];
  const agent = await new AgentClient({ baseURL: local }).wakeUp({
    userId: someone(),
    tools: [tool({ name: 'keyboard_control', risk: 'risky', schema: { type: 'object' }, run: () => assert.fail('it was denied') })],
    onApproval: approval => (asked.push(approval), { approved: false, reason: 'no' }),
  });
  t.after(() => agent.close());
  await agent.ask('Keep three notes');
  assert.ok(asked.length > 0 && asked.every(a => a.toolName === 'keyboard_control' && a.local), JSON.stringify(asked));
  assert.equal((await agent.settings()).interaction_mode, 'agent');
  assert.deepEqual(await agent.updateSettings({ interaction_mode: 'chat' }), ['interaction_mode']);
  await assert.rejects(agent.updateSettings({ selected_model_id: 'none' }), error => error.code !== undefined);
  assert.ok(await agent.models());
  agent.close();
  await assert.rejects(agent.ask('anybody there?'), /closed/);
});

test('an aborted signal ends the turn', async t => {
  const stop = new AbortController();
  const reason = new Error('never mind');
  const agent = await new AgentClient({ baseURL: local }).wakeUp({
    userId: someone(),
    tools: [tool({ name: 'save_note', schema, run: () => (stop.abort(reason), new Promise(() => {})) })],
  });
  t.after(() => agent.close());
  const ended = agent.session.next('error', e => e.payload.reason === 'canceled');
  await assert.rejects(agent.ask('Keep three notes', { signal: stop.signal }), error => error === reason);
  await ended;
  agent.close();
});

test('a question that waits and is aborted is not asked, and the other goes on', async t => {
  const [heard, stop, reason] = [[], new AbortController(), new Error('never mind')];
  const [begun, goOn] = [Promise.withResolvers(), Promise.withResolvers()];
  const agent = await new AgentClient({ baseURL: local }).wakeUp({
    userId: someone(),
    tools: [tool({ name: 'save_note', schema, run: async () => (begun.resolve(), await goOn.promise, 'kept') })],
  });
  t.after(() => agent.close());
  agent.session.on('*', e => heard.push(JSON.stringify(e)));
  const first = agent.ask('Keep three notes');
  await begun.promise;
  const dropped = agent.session.next('error', e => e.payload.message.includes('before it began'));
  const second = agent.ask('Pay the invoice', { onBusy: 'queue', signal: stop.signal });
  await agent.models(); // the question has left
  stop.abort(reason);
  await assert.rejects(second, error => error === reason);
  await dropped;
  goOn.resolve();
  assert.ok((await first).text.endsWith(end));
  assert.ok((await agent.ask('Keep three notes', { onBusy: 'queue' })).text.endsWith(end));
  assert.ok(!heard.some(m => m.includes('Pay the invoice')));
});

for (const before of [false, true]) {
  test(`a question that waits gets its own answer: ${before ? 'heard the conversation before' : 'comes to the turn'}`, async t => {
    const [userId, conversationRef, goOn, begun] = [someone(), 'shared', Promise.withResolvers(), Promise.withResolvers()];
    const wake = async () => {
      const save = tool({ name: 'save_note', schema, run: async () => (begun.resolve(), await goOn.promise, 'kept') });
      const agent = await new AgentClient({ baseURL: local }).wakeUp({ userId, tools: [save] });
      t.after(() => agent.close());
      const asked = {};
      agent.session.on('user-message-full', e => void (asked[e.turn_ref] = e.payload.metadata.original_query));
      return { agent, asked };
    };
    const [ada, bob] = [await wake(), await wake()];
    if (before) {
      bob.agent.rehydrate([], conversationRef);
      await bob.agent.models(); // the gateway has it
    }
    const first = ada.agent.ask("Keep ada's notes", { conversationRef });
    await begun.promise;
    const second = bob.agent.ask("Keep bob's notes", { conversationRef, onBusy: 'queue' });
    await eventually(() => bob.agent.open.length === 1);
    await bob.agent.models(); // likewise
    goOn.resolve();
    assert.equal(ada.asked[(await first).turnRef], "Keep ada's notes");
    assert.equal(bob.asked[(await second).turnRef], "Keep bob's notes");
  });
}

test('at a gateway that names no query, the first turn is taken for it', async t => {
  const webSocket = (url, headers) => {
    const ws = new WebSocket(url, { headers });
    const older = { send: text => ws.send(text), close: code => ws.close(code), get readyState() { return ws.readyState; } };
    for (const on of ['onopen', 'onclose', 'onerror']) ws[on] = event => older[on]?.(event);
    ws.onmessage = ({ data }) => older.onmessage({ data: data.replace(/,"query_ref":"[^"]*"/, '') });
    return older;
  };
  const { notes, save } = counting();
  const agent = await new AgentClient({ baseURL: local, webSocket }).wakeUp({ userId: someone(), tools: [save] });
  t.after(() => agent.close());
  agent.session.on('*', e => assert.equal(e.query_ref, undefined));
  assert.ok((await agent.ask('Keep three notes')).text.endsWith(end));
  assert.equal(notes.length, 3);
});

test('a question that was aborted is not asked on the next connection', async t => {
  const [sent, stop] = [[], new AbortController()];
  let losing = false;
  const webSocket = (url, headers) => {
    const ws = new WebSocket(url, { headers });
    const send = ws.send.bind(ws);
    const at = sent.push([]) - 1;
    ws.send = text => (sent[at].push(JSON.parse(text)), losing ? undefined : send(text));
    return ws;
  };
  const agent = await new AgentClient({ baseURL: local, webSocket }).wakeUp({ userId: someone() });
  t.after(() => agent.close());
  losing = true;
  const asked = agent.ask('Pay the invoice', { signal: stop.signal });
  await eventually(() => sent[0].some(m => m.type === 'query'));
  stop.abort();
  await assert.rejects(asked);
  losing = false;
  agent.socket.drop();
  await agent.models();
  const again = sent.slice(1).flat().filter(m => m.type === 'query' || m.type === 'cancel');
  assert.deepEqual(again.map(m => [m.type, 'query_id' in m.payload]), [['cancel', true]]);
});

test('a question that is aborted before it is sent is not asked', async t => {
  const stop = new AbortController();
  const reason = new Error('never mind');
  const fetch = (url, init) => {
    stop.abort(reason);
    return globalThis.fetch(url, init);
  };
  const agent = await new AgentClient({ baseURL: local, fetch }).wakeUp({ userId: someone() });
  t.after(() => agent.close());
  const sent = [];
  const { send } = agent.socket;
  agent.socket.send = (...message) => (sent.push(message[0]), send.apply(agent.socket, message));
  await assert.rejects(agent.ask('What is this?', { screenshot: card, signal: stop.signal }), error => error === reason);
  const soon = new AbortController();
  const asked = agent.ask('What is this?', { signal: soon.signal });
  soon.abort(reason);
  await assert.rejects(asked, error => error === reason);
  assert.deepEqual(sent, []);
});

test('tools that fail, show the screen, or are refused', async t => {
  const outputs = [];
  const agent = await new AgentClient({ baseURL: local }).wakeUp({
    userId: someone(),
    tools: [tool({ name: 'save_note', schema, run: ({ text }) => { if (text === 'note 1') return { output: 'look', screenshot: card }; throw new Error('the disk is full'); } })],
  });
  t.after(() => agent.close());
  agent.session.on('tool-output', e => outputs.push(e.payload));
  await agent.ask('Keep three notes');
  assert.ok(outputs.some(o => o.screenshot_ref) && outputs.some(o => o.error?.includes('disk is full')), JSON.stringify(outputs));
  agent.close();
  await assert.rejects(new AgentClient({ baseURL: local }).wakeUp({ tools: [tool({ name: 'not a name!', schema, run: () => '' })] }), /rejected these tools: not a name!/);
  assert.throws(() => moduleTool({ name: 'x', module: 'nothing', schema }), /MODULE:FUNCTION/);
});

test('an output that is no JSON is an error', async t => {
  const outputs = [];
  const loop = {};
  loop.loop = loop;
  const values = [{ n: 1n }, loop, () => {}];
  const agent = await new AgentClient({ baseURL: local }).wakeUp({
    userId: someone(),
    tools: [tool({ name: 'save_note', schema, run: () => values.shift() })],
  });
  t.after(() => agent.close());
  agent.session.on('tool-output', e => outputs.push(e.payload));
  for (let i = 0; i < 2; i++) assert.ok((await agent.ask('Keep three notes')).text); // a call behind one that failed is not made
  assert.equal(outputs.filter(o => /the result of save_note cannot be encoded as JSON/.test(o.error)).length, 3, JSON.stringify(outputs));
});

test('an approval that cannot be sent, or throws, is a no', async t => {
  const answers = [{ approved: true, input: { n: 1n } }, undefined];
  const onApproval = () => { if (answers.length > 0) return answers.shift(); throw new Error('nobody is there'); };
  const agent = await new AgentClient({ baseURL: local }).wakeUp({ userId: someone(), onApproval });
  t.after(() => agent.close());
  const sent = [];
  agent.socket.send = (type, payload) => void (JSON.stringify(payload), sent.push([type, payload.approved]));
  const asked = { type: 'approval-request', payload: { tool_name: 'x', parameters: {}, reason: '', request_id: 'r' } };
  for (let n = 1; n <= 3; n++) {
    agent.hear(asked);
    await eventually(() => sent.length === n);
  }
  assert.deepEqual(sent, Array(3).fill(['approval-decision', false]));
});

test('a hosted gateway, by a token', async t => {
  const { install_token: token, user_id: userId } = await new Windie({ baseURL: hosted }).register('Linux');
  const { notes, save } = counting();
  const agent = await new AgentClient({ baseURL: hosted, token }).wakeUp({ userId, tools: [save] });
  t.after(() => agent.close());
  assert.ok((await agent.ask('Keep three notes')).text.endsWith(end));
  assert.equal(notes.length, 3);
  agent.close();
  await assert.rejects(new AgentClient({ baseURL: hosted, token: 'wrong' }).wakeUp({ userId }), { code: 'AUTH_REQUIRED', status: 401 });
});

test('a schema of Standard Schema checks the input', async t => {
  const seen = [];
  const standard = { '~standard': { version: 1, vendor: 'test', validate: v => (v.text === 'note 1' ? { value: { text: 'ONE' } } : { issues: [{ message: 'only the first' }] }), jsonSchema: { input: () => schema } } };
  const agent = await new AgentClient({ baseURL: local }).wakeUp({ userId: someone(), tools: [tool({ name: 'save_note', schema: standard, run: i => (seen.push(i.text), 'ok') })] });
  t.after(() => agent.close());
  await agent.ask('Keep three notes');
  assert.deepEqual(seen, ['ONE']);
  agent.close();
});

test('a call that is asked for twice runs once', async t => {
  const { notes, save } = counting();
  const webSocket = (url, headers) => {
    const ws = new WebSocket(url, { headers });
    Object.defineProperty(ws, 'onmessage', { set: hear => ws.addEventListener('message', event => (hear(event), hear(event))) });
    return ws;
  };
  const agent = await new AgentClient({ baseURL: local, webSocket }).wakeUp({ userId: someone(), tools: [save] });
  t.after(() => agent.close());
  assert.ok((await agent.ask('Keep three notes')).text.endsWith(end));
  assert.deepEqual(notes.toSorted(), ['note 1', 'note 2', 'note 3']);
});

/** Makes sockets that note what is sent; lose says of a message that it does not arrive, and breaks its connection. */
function noting(lose = () => false) {
  const sent = [];
  const made = [];
  const webSocket = (url, headers) => {
    const ws = new WebSocket(url, { headers });
    const send = ws.send.bind(ws);
    ws.send = text => {
      const message = JSON.parse(text);
      sent.push(message);
      if (lose(message)) ws.close();
      else send(text);
    };
    made.push(ws);
    return ws;
  };
  return { sent, made, webSocket };
}

test('of more calls than may run at once the others are refused, and none is run twice', async t => {
  const { sent, made, webSocket } = noting();
  const runs = new Map();
  const waits = Promise.withResolvers();
  const wait = tool({ name: 'wait', schema: { type: 'object' }, run: async (_, { requestId }) => (runs.set(requestId, (runs.get(requestId) ?? 0) + 1), waits.promise) });
  const agent = await new AgentClient({ baseURL: local, webSocket }).wakeUp({ userId: someone(), tools: [wait] });
  t.after(() => agent.close());
  const call = n => made[0].onmessage({ data: JSON.stringify({ type: 'tool-call', conversation_ref: 'c', payload: { tool_name: 'wait', parameters: {}, request_id: `call ${n}`, metadata: { tool_call_id: `${n}` } } }) });
  for (let n = 0; n <= 500; n++) call(n);
  const results = () => sent.filter(m => m.type === 'tool-result').map(m => m.payload);
  await eventually(() => runs.size === 500 && results().length === 1);
  assert.match(results()[0].error, /500 calls already run at this client/);
  for (let n = 0; n < 500; n++) call(n);
  waits.resolve('waited');
  await eventually(() => results().length === 1001);
  assert.deepEqual([...new Set(runs.values())], [1]);
});

test('an answer is sent until the gateway has it, and not again', async t => {
  const late = Promise.withResolvers();
  const stop = new AbortController();
  const { sent, made, webSocket } = noting();
  const agent = await new AgentClient({ baseURL: local, webSocket }).wakeUp({
    userId: someone(),
    tools: [tool({ name: 'save_note', schema, run: ({ text }) => text === 'note 1' || (stop.abort(new Error('never mind')), late.promise) })],
  });
  t.after(() => agent.close());
  const ended = agent.session.next('streaming-complete');
  await assert.rejects(agent.ask('Keep three notes', { signal: stop.signal }), /never mind/);
  await ended;
  const refused = agent.session.next('error', e => e.payload.code === 'DECISION_EXPIRED');
  late.resolve('kept too late');
  await refused;
  await cut();
  await eventually(() => made.length === 2 && made[1].readyState === 1);
  await agent.models(); // what comes back first is sent before
  const results = sent.filter(m => m.type === 'tool-result').map(m => m.payload.request_id);
  assert.equal(new Set(results).size, results.length, JSON.stringify(results));
});

test('a decision that is lost is sent again', async t => {
  let lost = false;
  const { sent, webSocket } = noting(m => m.type === 'approval-decision' && !lost && (lost = true));
  const agent = await new AgentClient({ baseURL: local, webSocket }).wakeUp({ userId: someone(), disabledTools: ['keyboard_control'], onApproval: () => ({ approved: false, reason: 'no' }) });
  t.after(() => agent.close());
  const { text } = await agent.ask('Keep three notes');
  const decisions = sent.filter(m => m.type === 'approval-decision');
  assert.ok(lost && text, text);
  assert.deepEqual(decisions[0], decisions[1]);
});

test('a request whose answer is lost is made again, and ends with the agent', async t => {
  const lost = new Set(['models-listed', 'settings-updated']);
  const webSocket = (url, headers) => {
    const ws = new WebSocket(url, { headers });
    Object.defineProperty(ws, 'onmessage', { set: hear => ws.addEventListener('message', event => (lost.delete(JSON.parse(event.data).type) ? ws.close() : hear(event))) });
    return ws;
  };
  const agent = await new AgentClient({ baseURL: local, webSocket }).wakeUp({ userId: someone(), tools: [] });
  t.after(() => agent.close());
  assert.ok(await agent.models());
  assert.deepEqual(await agent.updateSettings({ interaction_mode: 'chat' }), ['interaction_mode']);
  lost.add('models-listed');
  const id = agent.session.send('list-models');
  await agent.session.next('models-listed', e => e.in_reply_to === id);
  assert.equal(lost.size, 0);
  const waits = agent.settings();
  agent.close();
  await assert.rejects(waits, /closed/);
});

test('a session that is closed while it comes back leaves no socket open', { timeout: 30_000 }, async () => {
  const made = [];
  const second = Promise.withResolvers();
  const webSocket = (url, headers) => {
    const ws = new WebSocket(url, { headers });
    if (made.push(ws) === 2) {
      ws.addEventListener('close', second.resolve);
      agent.close();
    }
    return ws;
  };
  const agent = await new AgentClient({ baseURL: local, webSocket }).wakeUp({ userId: someone(), tools: [] });
  await cut();
  await second.promise;
  assert.equal(made.length, 2);
});
