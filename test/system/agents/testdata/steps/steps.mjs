// What the programs of the clients in JavaScript share: serve reads steps, each a line of JSON, has a client do them, and
// prints what came of each as a line of JSON.
import { createInterface } from 'node:readline';
import { writeSync } from 'node:fs';

console.log = console.error; // what clients print goes to where complaints go

export async function serve(client) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { do: step, ...given } = JSON.parse(line);
    let answer;
    try {
      answer = step === 'about' ? client.about : ((await client[step](given)) ?? {});
    } catch (err) {
      console.error(err);
      answer = { failed: `${step}: ${err}` };
    }
    const raw = Buffer.from(`${JSON.stringify(answer)}\n`);
    for (let at = 0; at < raw.length; ) at += writeSync(1, raw, at);
  }
  process.exit(0);
}

// reached returns when the test says that a call has reached its tool.
export const reached = async (url) => void (await (await fetch(url)).text());

// leave begins a call, which gets a signal, and leaves it when it has reached its tool.
export async function leave(call, until) {
  const left = new AbortController();
  const running = call(left.signal);
  await Promise.race([running, reached(until)]);
  left.abort();
  await running.then(
    () => { throw new Error('the call ended by itself'); },
    () => {},
  );
}

// answerOf returns what a result of the SDK says.
export const answerOf = (result) => ({
  text: result.content.filter((part) => part.type === 'text').map((part) => part.text).join('\n'),
  images: result.content.filter((part) => part.type === 'image').length,
});
