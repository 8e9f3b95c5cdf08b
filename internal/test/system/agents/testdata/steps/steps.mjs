// What the programs of the clients in JavaScript share: serve reads steps, each a line of JSON, has a client do them, and
// prints what came of each as a line of JSON.
import { createInterface } from 'node:readline';
import { readFileSync, writeSync } from 'node:fs';
import { spawn } from 'node:child_process';

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

// run runs a client's command to its end, or until the signal interrupts it, and returns what it prints.
export async function run(command, { args = [], env = {}, input = '', signal } = {}) {
  const one = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  signal?.addEventListener('abort', () => one.kill('SIGINT'));
  one.stdin.on('error', () => {}); // it may end before it has read all
  one.stdin.end(input);
  let out = '';
  one.stdout.on('data', (piece) => { out += piece; process.stderr.write(piece); });
  one.stderr.on('data', (piece) => process.stderr.write(piece));
  const code = await new Promise((done, failed) => one.on('close', done).on('error', failed));
  signal?.throwIfAborted();
  return { code, out };
}

// versionOf returns the version of a package.
export const versionOf = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version;

// agent returns the steps of a program that is started anew for each task. Its start prepares the program for a server and a model, and
// returns a function that runs the program with a task.
export function agent(about, start) {
  let task;
  return {
    about,
    async open(given) {
      task = await start(given);
    },
    async ask({ prompt }) {
      const { code } = await task(prompt);
      if (code !== 0) throw new Error(`it ended with ${code}`);
    },
    cancel: ({ prompt, until }) => leave((signal) => task(prompt, signal), until),
    async close() {},
  };
}
