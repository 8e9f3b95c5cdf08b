import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { APIError, Windie } from '@windie/sdk';
import { approvalKey, cut, fail, local, seen, someone } from './env.mjs';

const end = 'All three notes are kept.';
const client = () => new Windie({ baseURL: local, userId: someone(), approvalKey });

after(() => fail());

test('a prompt with approvals, to its end', async () => {
  const windie = client();
  const asked = [];
  const stream = windie.prompts.start('Keep three notes', { onApproval: approval => (asked.push(approval.toolName), true) });
  const result = await stream.final();
  assert.ok(result.text.endsWith(end));
  assert.equal(asked.length, 3);
  assert.ok(result.usage.totalTokens >= 0);
  assert.equal(result.outputs.filter(o => o.type === 'tool' && o.result.type === 'success').length, 3);
  assert.equal((await windie.prompts.get(stream.promptId)).status, 'completed');
  assert.equal((await windie.prompts.list({ limit: 1 })).items[0].id, stream.promptId);
  const again = [];
  for await (const { event } of windie.prompts.events(stream.promptId)) again.push(event);
  assert.equal(again[0], 'prompt.created');
  assert.equal(again.at(-1), 'prompt.completed');
  await windie.prompts.delete(stream.promptId);
});

test('a rejection, with a reason', async () => {
  const outputs = (await client().prompts.start('Keep notes', { onApproval: () => ({ approved: false, reason: 'not today' }) }).final()).outputs;
  assert.ok(outputs.some(o => o.type === 'tool' && o.result.type === 'denied'));
});

test('an aborted signal ends the wait for an answer, and keeps back what has come already', async () => {
  const stop = new AbortController();
  const reason = new Error('never mind');
  const waits = () => (stop.abort(reason), new Promise(() => {}));
  await assert.rejects(client().prompts.start('Keep three notes', { onApproval: waits, signal: stop.signal }).final(), error => error === reason);
  const again = new AbortController();
  const events = [];
  await assert.rejects(async () => {
    for await (const { event } of client().prompts.start('Keep three notes', { onApproval: () => true, signal: again.signal })) {
      events.push(event);
      await new Promise(resolve => setTimeout(resolve, 300)); // more events come meanwhile
      again.abort(reason);
    }
  }, error => error === reason);
  assert.equal(events.length, 1);
});

/** Hears a prompt, and breaks the connection behind the nth event. */
async function heard(cutAt, options = {}) {
  const events = [];
  for await (const event of client().prompts.start('Keep three notes', { onApproval: () => true, deltas: true, ...options })) {
    events.push(event);
    if (events.length === cutAt) await cut();
  }
  return events;
}

const said = events => events.flatMap(e => (e.event === 'prompt.output' && e.data.type === 'text' ? [e.data.content] : []));

test('wherever the connection breaks, each event is heard once and each call made once', async () => {
  const whole = await heard(0);
  await Promise.all([]);
  for (let n = 1; n < whole.length; n++) {
    const events = await heard(n);
    assert.deepEqual(said(events), said(whole), `cut behind event ${n}`);
    const ids = events.filter(e => e.event !== 'prompt.delta').map(e => e.id);
    assert.equal(new Set(ids).size, ids.length, `cut behind event ${n}: ${ids}`);
    assert.equal(events.filter(e => e.event === 'prompt.output' && e.data.type === 'tool').length, 3);
  }
});

test('a stream goes on after its gateway was away for a while', async () => {
  const events = [];
  for await (const event of client().prompts.start('Keep three notes', { onApproval: () => true })) {
    events.push(event);
    if (event.event !== 'prompt.created') continue;
    await fail({ path: `/api/prompt/${event.data.promptId}/events`, status: 502, times: 6, body: '<html>' });
    await cut();
  }
  await fail();
  assert.equal(events.at(-1).event, 'prompt.completed');
});

test('a start whose answer is lost begins one prompt', async () => {
  const windie = client();
  await fail({ path: '/api/prompt', status: 502, times: 1, body: '<html>' });
  await seen();
  await windie.prompts.start('Keep three notes', { onApproval: () => true }).final();
  const starts = (await seen()).filter(r => r.path === '/api/prompt');
  assert.equal(starts.length, 2);
  assert.equal(starts[0].key, starts[1].key);
  assert.equal((await windie.prompts.list()).items.length, 1);
});

test('however the bytes are cut, and whatever ends lines', async () => {
  await fail({ path: '/api/prompt', chop: true });
  assert.deepEqual(said(await heard(0)), said(await heard(0)));
  await fail();
});

test('events that are not known are handed on', async () => {
  const body = 'id: 1\r\nevent: prompt.created\r\ndata: {"promptId":"p"}\r\n\r\n: heartbeat\r\n\r\nid: 2\nevent: prompt.sung\ndata: {"la":\ndata: "ü"}\n\nid: 2\nevent: prompt.sung\ndata: {}\n\nid: 3\revent: prompt.completed\rdata: {"promptId":"p","usage":{}}\r\r';
  await fail({ path: '/api/prompt', status: 200, times: 1, chop: true, header: { 'Content-Type': 'text/event-stream' }, body });
  const events = [];
  for await (const event of new Windie({ baseURL: local, fetch: async () => new Response(new Blob([body]).stream(), { headers: { 'content-type': 'text/event-stream' } }) }).prompts.start('x')) events.push(event);
  await fail();
  assert.deepEqual(events.map(e => e.event), ['prompt.created', 'prompt.sung', 'prompt.completed']);
  assert.deepEqual(events[1].data, { la: 'ü' });
});

test('cancel ends the prompt, leaving the loop does not, and a signal ends the loop', async () => {
  const windie = client();
  const stream = windie.prompts.start('Keep three notes');
  for await (const event of stream) if (event.event === 'prompt.approval') break;
  assert.equal((await windie.prompts.get(stream.promptId)).status, 'waiting_for_approval');
  await stream.cancel();
  await assert.rejects(windie.prompts.events(stream.promptId).final(), error => error instanceof APIError && error.code === 'CANCELED');
  const stop = new AbortController();
  const reason = new Error('enough');
  await assert.rejects(async () => {
    for await (const _ of windie.prompts.start('Keep three notes', { signal: stop.signal })) stop.abort(reason);
  }, error => error === reason);
});

test('a person decides elsewhere', async () => {
  const windie = client();
  const events = windie.prompts.start('Keep three notes');
  for await (const event of events) {
    if (event.event !== 'prompt.approval') continue;
    const mine = await windie.decisions.list().all();
    const { decisionId } = event.data;
    assert.ok(mine.some(d => d.id === decisionId));
    assert.equal((await windie.decisions.get(decisionId)).state, 'pending');
    await windie.decisions.approve(decisionId);
  }
});

test('a message of a chat that is sent again has the id that it had', async () => {
  const message = { parts: [{ type: 'text', text: 'continue' }] };
  for (const stream of [true, false]) {
    const ids = [];
    const lossy = async (_, init) => {
      ids.push(JSON.parse(init.body).message.id);
      if (ids.length % 2 === 1) throw new TypeError('the connection broke');
      if (!stream) return Response.json({ assistant: message });
      return new Response('id: 1\nevent: assistant.final\ndata: {"text":"Done."}\n\n', { headers: { 'content-type': 'text/event-stream' } });
    };
    const { general } = new Windie({ baseURL: local, fetch: lossy });
    for (let n = 0; n < 2; n++) {
      if (stream) for await (const event of general.chat('g', message)) assert.equal(event.event, 'assistant.final');
      else await general.say('g', message);
    }
    assert.ok(ids[0] && ids[2]);
    assert.deepEqual(ids, [ids[0], ids[0], ids[2], ids[2]]);
    assert.notEqual(ids[0], ids[2]);
  }
});

test('the general agent, wherever the connection breaks', async () => {
  const windie = client();
  const manifest = { version: 1, tools: [{ name: 'save_note', schema: { type: 'object', properties: { text: { type: 'string' } } }, risk: 'safe' }] };
  const talk = async cutAt => {
    const { general_session_id: session } = await windie.general.openSession({ tools: manifest });
    const runs = new Map();
    let text = '';
    let count = 0;
    for await (const event of windie.general.chat(session, 'Keep three notes')) {
      if (++count === cutAt) await cut();
      if (event.event === 'tool.request' && !event.data.answered) {
        runs.set(event.data.id, (runs.get(event.data.id) ?? 0) + 1);
        await windie.general.toolResult(session, { id: event.data.id, ok: true, result: 'kept' });
      }
      if (event.event === 'assistant.final') text = event.data.text;
    }
    assert.ok(text.endsWith(end), text);
    assert.deepEqual([...runs.values()], [1, 1, 1], `cut behind event ${cutAt}`);
    return [session, count];
  };
  const [session, count] = await talk(0);
  for (let n = 1; n < count; n++) await talk(n);
  assert.ok((await windie.general.sessions().all()).some(s => s.general_session_id === session));
  assert.equal((await windie.general.cancel(session)).canceled, false);
  await windie.general.deleteSession(session);
});
