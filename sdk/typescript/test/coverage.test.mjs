import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentClient, Screen, Windie } from '@windie/sdk';
import { hosted } from './env.mjs';

test('each operation of the API document has its method', async () => {
  const windie = new Windie({ baseURL: hosted });
  const { paths } = await (await fetch(`${hosted}/openapi.json`)).json();
  const ours = Object.keys(paths).filter(path => !path.startsWith('/openai/')); // which OpenAI's own clients call
  const operations = ours.flatMap(path => Object.values(paths[path]));
  assert.ok(operations.length > 80);
  for (const { operationId, 'x-sdk': method } of operations) {
    const [group, name] = method.includes('.') ? method.split('.') : [undefined, method];
    const holder = group === undefined ? (name === 'wakeUp' ? AgentClient.prototype : windie) : group === 'screen' ? Screen.prototype : windie[group];
    assert.equal(typeof holder?.[name], 'function', `${operationId}: ${method}`);
  }
});
