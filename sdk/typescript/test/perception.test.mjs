import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { APIError, AmbiguousMatchError, ConnectionError, TimeoutError, ValidationError, Windie, fileTokenStore, found } from '@windie/sdk';
import { approvalKey, card, cardBytes, fail, hosted, local, seen, someone } from './env.mjs';

const windie = new Windie({ baseURL: local, userId: someone(), approvalKey });

before(() => seen());
after(() => fail());

test('a screen is uploaded once, whatever it comes as', async () => {
  const bytes = await cardBytes();
  for (const source of [card, bytes, new Uint8Array(bytes).buffer, new Blob([bytes]), Readable.toWeb(createReadStream(card)), `data:image/png;base64,${bytes.toString('base64')}`]) {
    const screen = windie.screen(source);
    const [one, two] = await Promise.all([screen.resolve('Check out'), screen.find('Add to cart')]);
    assert.equal(one.status, 'found');
    assert.ok(one.point.x > 0 && one.match.text === 'Check out');
    assert.equal(two.length, 2);
  }
  const uploads = (await seen()).filter(r => r.path === '/api/artifacts/' && r.method === 'POST');
  assert.equal(uploads.length, 6);
  await fail({ path: '/api/artifacts/', status: 503, times: 1, body: '{}' });
  assert.equal((await windie.screen(card).find('Check out')).length, 1);
  await windie.artifacts.upload(card);
  const [, again, kept] = (await seen()).filter(r => r.path === '/api/artifacts/');
  assert.ok(again.key === '' && kept.key !== '', 'a file of its own has a key');
});

test('ambiguity is a value with candidates, and an error for who wants one', async () => {
  const screen = windie.screen(card);
  const twice = await screen.resolve('Add to cart');
  assert.equal(twice.status, 'ambiguous');
  assert.equal(twice.candidates.length, 2);
  assert.throws(() => found(twice), AmbiguousMatchError);
  const second = await screen.resolve('Add to cart', { occurrence: 2 });
  assert.equal(second.status, 'found');
  assert.deepEqual(second.point, twice.candidates[1].center);
  const missing = await screen.resolve('Nowhere to be seen');
  assert.equal(missing.status, 'missing');
  assert.throws(() => found(missing), { code: 'TEXT_NOT_FOUND' });
  assert.equal((await screen.candidate(twice.candidates[0].candidate_id)).text, 'Add to cart');
});

test('everything else that a screen answers', async () => {
  const screen = windie.screen(card);
  assert.equal((await screen.read()).length, 3);
  assert.ok((await screen.candidates('Chekc out')).length > 0);
  assert.equal((await screen.locate('the text Check out')).status, 'found');
  assert.ok((await screen.locateAll('the text Add to cart')).length >= 2);
  assert.ok((await screen.elements()).length > 0);
  assert.equal((await screen.describe()).image.width, 360);
  const [{ center }] = await screen.find('Check out');
  assert.equal((await screen.at(center.x, center.y)).row.text, 'Check out');
  assert.equal((await screen.inspect({ text: 'Check out' })).resolved_match.text, 'Check out');
  assert.equal((await screen.overlay({ text: 'Add to cart' })).annotation_count, 2);
  assert.equal((await screen.overlay({ points: [center] })).annotation_count, 1);
  assert.equal((await screen.diff(windie.screen(card))).same, true);
  const again = windie.screen({ artifactId: await screen.artifactId() });
  assert.equal((await again.find('Check out')).length, 1);
});

test('a screen whose artifact is gone is uploaded again', async () => {
  const screen = windie.screen(card);
  await windie.artifacts.delete(await screen.artifactId());
  assert.equal((await screen.find('Check out')).length, 1);
});

test('one question that is given up ends the upload for nobody else', async () => {
  const [stop, reason] = [new AbortController(), new Error('never mind')];
  const slow = async (url, init) => {
    if (String(url).includes('/api/artifacts')) await new Promise(resolve => setTimeout(resolve, 300));
    return fetch(url, init);
  };
  const screen = new Windie({ baseURL: local, fetch: slow }).screen(await cardBytes());
  const first = screen.find('Check out', { signal: stop.signal });
  const second = screen.find('Check out');
  setTimeout(() => stop.abort(reason), 50);
  await assert.rejects(first, error => error === reason);
  assert.ok((await second).length > 0);
});

test('a deletion whose answer is lost is one, and what was not there is not', async () => {
  const shot = await windie.artifacts.upload(card);
  await fail({ path: `/api/artifacts/${shot.artifact_id}`, lose: true, times: 1 });
  assert.equal((await windie.artifacts.delete(shot.artifact_id)).deleted, true);
  await fail();
  await assert.rejects(windie.artifacts.delete(shot.artifact_id), error => error.code === 'ARTIFACT_NOT_FOUND');
});

test('what does no harm is tried again, and nothing else', async () => {
  const screen = windie.screen(card);
  await screen.artifactId();
  const find = '/api/sdk/ocr/find-text';
  for (const [name, fault, calls] of [
    ['503 twice', { path: find, status: 503, times: 2, body: '{"error":{"code":"OVERLOADED","message":"busy","details":{}}}' }, 3],
    ['429 with Retry-After', { path: find, status: 429, times: 1, header: { 'Retry-After': '0' }, body: '{"error":{"code":"RATE_LIMITED","message":"slow down","details":{}}}' }, 2],
    ['a page of a proxy', { path: find, status: 502, times: 1, body: '<html>Bad Gateway</html>' }, 2],
    ['an answer that is lost', { path: find, times: 1, lose: true }, 2],
  ]) {
    await fail(fault);
    await seen();
    assert.equal((await screen.find('Check out')).length, 1, name);
    assert.equal((await seen()).length, calls, name);
  }
  await fail({ path: find, status: 429, times: 1, body: '{"error":{"code":"BUDGET_EXCEEDED","message":"used up","details":{}}}' });
  await assert.rejects(screen.find('Check out'), { code: 'BUDGET_EXCEEDED', status: 429 });
  await fail({ path: find, status: 502, body: '<html>Bad Gateway</html>' });
  await assert.rejects(screen.find('Check out'), error => error instanceof APIError && error.status === 502 && /is that of a Windie gateway/.test(error.message));
  await fail({ path: find, status: 200, times: 1, body: '{"image":{"new":1},"query":"x","threshold":1,"matches":[{"text":"a","script":"klingon","more":{}}],"more":true}' });
  assert.equal((await screen.find('Check out'))[0].script, 'klingon', 'what a newer gateway says is handed on');
});

test('a call of a tool whose answer is lost is made once', async () => {
  await fail({ path: '/api/tools/shell.exec/invoke', times: 1, lose: true });
  await seen();
  await windie.tools.invoke('shell.exec', { command: 'once' });
  const calls = await seen();
  assert.equal(calls.length, 2);
  assert.ok(calls[0].key && calls[0].key === calls[1].key);
  const records = await windie.audit.list({ tool: 'shell.exec', headers: { authorization: 'Bearer a token that only operators have' } }).all(5);
  assert.ok(records.length <= 1);
});

test('a call that stores nothing twice is not repeated without a key', async () => {
  await fail({ path: '/api/install/register', status: 503, body: '{"error":{"code":"OVERLOADED","message":"busy","details":{}}}' });
  await seen();
  await assert.rejects(windie.register('Linux'), { code: 'OVERLOADED' });
  assert.equal((await seen()).length, 1);
  await fail();
});

test('a change of memory whose answer is lost is made once', async () => {
  const { path } = await windie.memory.write('The bin goes out on Tuesdays', { target: 'long_term' });
  await fail({ path: '/v1/memory/files', times: 1, lose: true });
  await seen();
  await assert.rejects(windie.memory.edit(path, '', 'added once\n'), ConnectionError);
  assert.equal((await seen()).length, 1);
  assert.equal((await windie.memory.get(path)).text.split('added once').length, 2);
  await windie.memory.deleteAll();
});

test('errors have a code, fields and the id of the request', async () => {
  await assert.rejects(windie.screen(card).find(''), error => error instanceof ValidationError && error.fields[0].path === 'body.text' && !!error.requestId && error.status === 422);
  await assert.rejects(windie.screen({ artifactId: 'nothing.png' }).find('x'), { code: 'ARTIFACT_NOT_FOUND', status: 404 });
  await assert.rejects(new Windie({ baseURL: 'http://127.0.0.1:9', maxRetries: 0 }).health(), ConnectionError);
  assert.throws(() => new Windie({ baseURL: 'gateway' }), /is not the URL/);
});

test('time limits and signals end a call', async () => {
  const entries = [];
  const slow = new Windie({ baseURL: local, logger: e => entries.push(e), token: 'a secret', fetch: (url, init) => new Promise((_, no) => init.signal.addEventListener('abort', () => no(init.signal.reason))) });
  await assert.rejects(slow.health({ timeout: 20, maxRetries: 0 }), TimeoutError);
  const reason = new Error('not any longer');
  await assert.rejects(slow.health({ signal: AbortSignal.abort(reason) }), error => error === reason);
  assert.ok(entries.some(e => e.event === 'error') && !JSON.stringify(entries).includes('a secret'));
});

test('a token is made once and kept in a file of its owner', async () => {
  const file = path.join(await mkdtemp(path.join(tmpdir(), 'windie-')), 'token');
  const options = { baseURL: hosted, store: fileTokenStore(file), operatingSystem: 'Linux' };
  const one = await Windie.registered(options);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const shot = await one.artifacts.upload(card);
  const two = await Windie.registered(options);
  assert.equal((await two.artifacts.describe(shot.artifact_id)).size, shot.size_bytes);
  await writeFile(file, 'another\n');
  await assert.rejects((await Windie.registered(options)).capabilities(), { code: 'AUTH_REQUIRED', status: 401 });
});
