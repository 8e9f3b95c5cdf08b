// @ts-check
// What a person has answered in Approvals since the page was opened, and what came of it.
import { html, plain, signal, useEvery, useLoad, when } from './lib.js';
import { hrefOf, user, windie } from './state.js';
import { Fields, wordsOf } from './args.js';
import { nameOf } from './names.js';
import { Fold, Text } from './ui.js';

const every = 1000; // ms between two looks whether the call is made
const most = 5; // answers that stay in sight; Approvals has all under All
const ended = ['completed', 'failed', 'canceled'];

/** The newest first: {of, args, said, user}. */
const answers = signal(/** @type {any[]} */ ([]));

/** Keeps an answer in sight. @param {any} of the decision @param {any} args what the call is made with @param {string} said */
export const keepAnswer = (of, args, said) => (answers.value = [{ of, args, said, user: user.peek(), at: new Date().toISOString() }, ...answers.peek()].slice(0, most));

/** Where a prompt is shown: in its conversation, if it has one. @param {string} id */
export const whereOf = (id) => (id.startsWith('conv_') ? ['conversation', id.replace(/\.\d+$/, '')] : ['prompt', id]);

export const Answered = () => {
  const own = answers.value.filter((a) => a.user === user.value);
  return own.length > 0 && html`<ul class="inbox answered" aria-label="What you answered">${own.map((a) => html`<li key=${a.of.id}><article class="card">
    <p role="status"><strong><code><${Text} of=${nameOf(a.of.tool)} /></code> ${a.said}</strong> <span class="faint">${when(a.at)}</span></p>
    ${a.args !== undefined && a.of.prompt_id && a.of.tool_call_id && html`<${Outcome} of=${a.of} />`}
    ${a.args !== undefined && html`<${Fold} label="What it was made with">${() => html`<${Fields} of=${a.args} />`}<//>`}
    ${a.of.prompt_id && html`<p><a class="button small" href=${hrefOf('conversations', ...whereOf(a.of.prompt_id))}>What the agent did then</a></p>`}</article></li>`)}</ul>`;
};

/** What came of a call, once it is made. */
const Outcome = ({ of }) => {
  const loaded = useLoad(async (signal) => {
    const prompt = await windie.value.prompts.get(of.prompt_id, { signal });
    const step = prompt.output?.find((s) => s.type === 'tool' && s.id === of.tool_call_id);
    return { result: step?.result, over: ended.includes(prompt.status) };
  }, [of.id, windie.value]);
  const { result, over } = loaded.value ?? {};
  useEvery(() => !result && !over && !loaded.error && loaded.again(), every, [Boolean(result), over, Boolean(loaded.error)]);
  if (loaded.error) return html`<p class="faint">What came of it cannot be read: <${Text} of=${loaded.error.message} /></p>`;
  if (!result) return html`<p class="faint" role="status">${over ? 'It was not made: the prompt ended before.' : 'What comes of it appears here…'}</p>`;
  const words = result.error ? result.error.message ?? '' : wordsOf(result.output);
  return html`<div role="status"><p>What came of it: <span class=${`chip ${result.type}`}>${plain(result.type)}</span></p>
    ${words === undefined ? html`<${Fields} of=${result.output ?? null} label="What came of it" />` : html`<p class="words"><${Text} of=${words} limit=${2000} /></p>`}</div>`;
};
