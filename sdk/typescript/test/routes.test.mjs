import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VERSION, Windie } from '@windie/sdk';
import { approvalKey, card, local, runsKey, someone } from './env.mjs';

const userId = someone();
const windie = new Windie({ baseURL: local, userId, approvalKey, runsKey });
const operator = windie.with({ token: 'a token that only operators have' });

test('artifacts', async () => {
  const shot = await windie.artifacts.upload(card, { filename: 'card.png' });
  const bytes = await (await windie.artifacts.download(shot.artifact_id)).arrayBuffer();
  assert.equal(bytes.byteLength, shot.size_bytes);
  const part = await windie.artifacts.download(shot.artifact_id, { headers: { range: 'bytes=0-9' } });
  assert.equal((await part.arrayBuffer()).byteLength, 10);
  const { contentType, size, etag } = await windie.artifacts.describe(shot.artifact_id);
  assert.deepEqual([contentType, size, etag], ['image/png', shot.size_bytes, `"${shot.sha256}"`]);
  assert.equal((await windie.artifacts.delete(shot.artifact_id)).deleted, true);
  await assert.rejects(windie.artifacts.describe(shot.artifact_id), { code: 'NOT_FOUND', status: 404 });
});

test('tools', async () => {
  const tools = await windie.tools.list();
  const id = tools.find(t => t.id.startsWith('conversation.')).id;
  assert.equal((await windie.tools.get(id)).id, id);
  await assert.rejects(windie.tools.invoke('no.tool'), { code: 'TOOL_NOT_FOUND' });
  const { result, callId } = await windie.tools.call('conversation.create');
  assert.ok(result.id && callId);
  await windie.conversations.delete(result.id);
});

test('conversations and their prompts, page by page', async () => {
  const ids = [];
  for (let i = 0; i < 3; i++) ids.push(await windie.conversations.create());
  const first = await windie.conversations.list({ limit: 2 });
  assert.equal(first.items.length, 2);
  assert.ok(first.next);
  assert.equal((await windie.conversations.list({ limit: 2, after: first.next })).items.length, 1);
  const all = await windie.conversations.list({ limit: 2 }).all();
  assert.deepEqual(new Set(all.map(c => c.id)), new Set(ids));
  assert.deepEqual((await windie.conversations.get(ids[0])).prompts, []);
  await windie.conversations.delete(ids[0]);
  await assert.rejects(windie.conversations.get(ids[0]), { code: 'CONVERSATION_NOT_FOUND' });
});

test('memory', async () => {
  const { path } = await windie.memory.write('The door code is four digits', { target: 'long_term' });
  assert.ok((await windie.memory.search('door')).some(r => r.path === path));
  assert.ok((await windie.memory.find('door')).results.some(r => r.path === path));
  assert.match((await windie.memory.get(path)).text, /door code/);
  assert.ok((await windie.memory.files()).some(f => f.path === path));
  const { text: was } = await windie.memory.get(path);
  await windie.memory.edit(path, was, was.replace('four', 'six'));
  const [change] = await windie.memory.history(path, { limit: 1 });
  assert.deepEqual([change.was, change.by], [was, 'client']);
  await windie.memory.edit(path, change.text, change.was);
  assert.match((await windie.memory.get(path)).text, /four digits/);
  assert.equal((await windie.memory.deleteFile(path)).removed, 1);
  await windie.memory.deleteAll();
});

test('embeddings and semantic', async () => {
  assert.ok((await windie.embeddings.create('aab')).embedding.length > 0);
  assert.equal((await windie.embeddings.health()).status, 'healthy');
  assert.equal((await windie.semantic.health()).status, 'healthy');
  assert.ok((await windie.semantic.title({ user_id: userId, user_message: 'I forgot my password', assistant_message: 'Reset it' })).title);
  assert.equal((await windie.semantic.summarize({ user_id: userId, conversations: ['user: hello'] })).success, true);
});

test('what a model is asked', async () => {
  assert.equal(typeof (await windie.agent.systemPrompt()).system_prompt, 'string');
  const { provider_tool_schemas: [tool] } = await windie.agent.toolSchemas();
  assert.ok((await windie.agent.toolCapabilities(tool.name)).capability);
  assert.ok((await windie.agent.models()).models);
  assert.ok((await windie.agent.promptPreview({ user_query_raw: 'open file' })).prompt_messages.length > 0);
  assert.equal((await windie.agent.queryPlan({ user_query_raw: 'open file', conversation_ref: 'c' })).query_message.type, 'query');
});

test('runs and their workers', async () => {
  const workspace_id = someone();
  const { run } = await windie.runs.create({ workspace_id, agent_id: 'a', query: 'do it' });
  const beat = { workspace_id, worker_id: 'w', session_id: 's', user_id: 'u', status: 'ready' };
  const { assigned_run } = await windie.runs.heartbeat(beat);
  assert.equal(assigned_run.run_id, run.run_id);
  await windie.runs.dispatched(run.run_id, { worker_id: 'w', user_id: 'u', turn_ref: 't', lease_epoch: assigned_run.lease_epoch });
  const heard = [];
  const listening = (async () => {
    for await (const event of windie.runs.follow(run.run_id)) heard.push(event.event_type);
  })();
  assert.equal((await windie.runs.relay(run.run_id, { event_type: 'tool-call', source: 'worker-stream', payload: {}, worker_seq: 1, worker_id: 'w', lease_epoch: assigned_run.lease_epoch })).duplicate, false);
  assert.equal((await windie.runs.relay(run.run_id, { event_type: 'tool-call', source: 'worker-stream', payload: {}, worker_seq: 1, worker_id: 'w', lease_epoch: assigned_run.lease_epoch })).duplicate, true);
  await windie.runs.control(run.run_id, { action: 'pause' });
  assert.equal((await windie.runs.list({ workspace_id }).all()).length, 1);
  assert.equal((await windie.runs.workers({ workspace_id }))[0].worker_id, 'w');
  assert.deepEqual((await windie.runs.stopAll({ workspace_id })).stopped_run_ids, [run.run_id]);
  await listening;
  assert.equal(heard.at(-1), 'run-ended');
  assert.equal(heard.filter(e => e === 'tool-call').length, 1);
  assert.ok((await windie.runs.events(run.run_id, { limit: 2 })).events.length === 2);
  assert.equal((await windie.runs.get(run.run_id)).status, 'stopped');
});

test('the gateway itself, and what is for its operator', async () => {
  assert.equal((await windie.health()).healthy, true);
  assert.equal((await windie.ready()).healthy, true);
  assert.equal((await windie.checkVersion()).sdk, VERSION);
  assert.ok((await windie.capabilities()).plugins.includes('tools'));
  assert.ok(await windie.usage());
  assert.equal(windie.mcpURL, `${local}/mcp`);
  assert.ok(Array.isArray(await operator.plugins.list()));
  await assert.rejects(operator.plugins.get('none'), error => error.status === 404);
  assert.match(await operator.metrics(), /windie_/);
  assert.ok(Array.isArray(await operator.audit.list().all(3)));
  assert.equal((await operator.operator.settings())[0].key, 'listen');
  assert.deepEqual(await operator.operator.mcpServers(), []);
  await assert.rejects(operator.operator.acceptMcpServer('none', ''), error => error.status === 404);
  const { user_id } = await operator.operator.createUser();
  const token = await operator.operator.createToken(user_id, 'Plan 9');
  assert.ok(token.install_token);
  await operator.operator.setBudget(user_id, { tokens: 5 });
  assert.ok(Array.isArray(await operator.operator.users({ limit: 1 }).all(3)));
  assert.equal((await operator.operator.user(user_id)).user.usage.tokens.limit, 5);
  await operator.operator.revokeInstall(token.install_id);
  assert.ok((await operator.operator.user(user_id)).installs[0].revoked_at);
  assert.ok((await operator.operator.history()).periods.at(-1).requests > 0);
  assert.equal((await operator.operator.kept())[0].kind, 'prompts');
  assert.deepEqual(await operator.operator.prune({ older_than_hours: { prompts: 1 }, dry_run: true }), { removed: false, kinds: { prompts: 0 } });
});
