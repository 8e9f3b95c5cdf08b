import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { AgentClient, ConnectionError, LocalRuntime, WindieError, tool } from '@windie/sdk';
import { local, someone } from './env.mjs';

const state = await mkdtemp(path.join(tmpdir(), 'windie-'));
const env = { WINDIE_DATA_DIR: state };
const folder = () => mkdtemp(path.join(tmpdir(), 'windie-'));
const alive = pid => { try { return process.kill(pid, 0); } catch { return false; } };

async function eventually(what, check) {
  for (let i = 0; i < 200; i++) {
    if (check()) return;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  assert.fail(what);
}

test('the tools of the machine: read, written with approval, refused without', async t => {
  const dir = await folder();
  await writeFile(path.join(dir, 'note.txt'), 'hello');
  const asked = [];
  const runtime = await LocalRuntime.start({ dir, env, onApproval: ({ message }) => asked.push(message) === 1 });
  t.after(() => runtime.close());
  const names = runtime.tools.map(({ name }) => name);
  assert.ok(names.includes('file_read') && names.includes('file_write'), String(names));
  assert.ok(!names.some(name => name.startsWith('ocr_') || name.startsWith('memory_')), String(names));
  assert.equal(runtime.tools.find(({ name }) => name === 'file_read').risk, 'safe');
  assert.equal(runtime.tools.find(({ name }) => name === 'file_write').risk, 'risky');
  assert.match(await runtime.call('file_read', { path: 'note.txt' }), /hello/);
  await runtime.call('file_write', { path: 'new.txt', text: 'kept' });
  assert.equal(await readFile(path.join(dir, 'new.txt'), 'utf8'), 'kept');
  await assert.rejects(runtime.call('file_write', { path: 'other.txt', text: 'no' }), /denied/);
  assert.equal(asked.length, 2);
  assert.match(asked[0], /file_write.*new\.txt/);
  await assert.rejects(runtime.call('file_read', { path: 'missing' }), WindieError);
  const stop = AbortSignal.abort(new Error('never mind'));
  await assert.rejects(runtime.call('file_read', { path: 'note.txt' }, { signal: stop }), /never mind/);
  await runtime.close();
  await assert.rejects(runtime.call('file_read', { path: 'note.txt' }), ConnectionError);
});

test('what is no message, as the greeting of a script around the program, is passed over', async t => {
  const dir = await folder();
  await writeFile(path.join(dir, 'note.txt'), 'hello');
  const command = path.join(dir, 'windie.sh');
  await writeFile(command, '#!/bin/sh\necho "[INFO] hello"\necho 1\nexec "$WINDIE_BIN" "$@"\n', { mode: 0o755 });
  const runtime = await LocalRuntime.start({ command, dir, env });
  t.after(() => runtime.close());
  assert.match(await runtime.call('file_read', { path: 'note.txt' }), /hello/);
});

test('an approval that throws is a no', async t => {
  const runtime = await LocalRuntime.start({ dir: await folder(), env, onApproval: () => { throw new Error('nobody is there'); } });
  t.after(() => runtime.close());
  await assert.rejects(runtime.call('file_write', { path: 'new.txt', text: 'kept' }), /denied/);
});

test('an agent uses a tool of the machine', async t => {
  const dir = await folder();
  const runtime = await LocalRuntime.start({ dir, env, onApproval: () => true });
  t.after(() => runtime.close());
  const write = runtime.tools.find(({ name }) => name === 'file_write');
  const schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false };
  const save = tool({ name: 'save_note', schema, run: ({ text }, context) => write.run({ path: `${text}.txt`, text }, context) });
  const agent = await new AgentClient({ baseURL: local }).wakeUp({ userId: someone(), tools: [...runtime.tools, save] });
  t.after(() => agent.close());
  await agent.ask('Keep three notes');
  for (const name of ['note 1', 'note 2', 'note 3']) assert.equal(await readFile(path.join(dir, `${name}.txt`), 'utf8'), name);
});

test('a program that is missing, or is another one', async () => {
  await assert.rejects(LocalRuntime.start({ command: '/nowhere/windie' }), /no program "\/nowhere\/windie".*PATH.*WINDIE_BIN/);
  const bin = process.env.WINDIE_BIN;
  process.env.WINDIE_BIN = '/elsewhere/windie';
  await assert.rejects(LocalRuntime.start(), /no program "\/elsewhere\/windie"/);
  process.env.WINDIE_BIN = bin;
  await assert.rejects(LocalRuntime.start({ env, args: ['--no-such-flag'] }), /has ended.*no-such-flag/s);
});

test('the program ends with its owner, also when that is killed', async () => {
  const script = `
    import { LocalRuntime } from '@windie/sdk';
    const runtime = await LocalRuntime.start({ env: { WINDIE_DATA_DIR: ${JSON.stringify(state)} } });
    console.log(runtime.program.pid);
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'], cwd: path.join(import.meta.dirname, '..') });
  const [line] = await once(createInterface({ input: owner.stdout }), 'line');
  const pid = Number(line);
  assert.ok(alive(pid));
  owner.kill('SIGKILL');
  await eventually('the program ends', () => !alive(pid));
});
