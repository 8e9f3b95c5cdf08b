// What the client adds to uploading a screen and asking about it by bare HTTP, as the ratio of the medians of both in turns.
import { Windie } from '@windie/sdk';
import { cardBytes, someone } from './env.mjs';

const url = process.env.WINDIE_TEST_DIRECT;
const card = new Blob([await cardBytes()]);
const userId = someone();
const windie = new Windie({ baseURL: url, userId });

async function bare() {
  const form = new FormData();
  form.append('file', card, 'file');
  const headers = { 'x-user-id': userId };
  const { artifact_id } = await (await fetch(`${url}/api/artifacts/`, { method: 'POST', headers, body: form })).json();
  const body = JSON.stringify({ image: { artifact_id }, text: 'Check out' });
  const answer = await fetch(`${url}/api/sdk/ocr/resolve-text`, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body });
  return (await answer.json()).match.center;
}

const byClient = async () => (await windie.screen(card).resolve('Check out')).point;

const times = { bare: [], client: [] };
for (let i = 0; i < 220; i++) {
  const pair = [['bare', bare], ['client', byClient]];
  for (const [name, run] of i % 2 ? pair.reverse() : pair) {
    const began = performance.now();
    if (!((await run()).x > 0)) throw new Error(`${name} finds nothing`);
    if (i >= 20) times[name].push(performance.now() - began);
  }
}
const median = list => list.toSorted((a, b) => a - b)[list.length >> 1];
console.log(JSON.stringify({ bare: median(times.bare), client: median(times.client) }));
