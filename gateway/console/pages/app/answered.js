// @ts-check
// The decisions that a person made since the page was opened, each with the result of its call.
import { html, plain, signal, useEvery, useLoad, when } from './lib.js';
import { hrefOf, user, windie } from './state.js';
import { Fields, wordsOf } from './args.js';
import { nameOf } from './names.js';
import { Fold, Text } from './ui.js';

const every = 1000; // ms between two looks for the result
const most = 5; // decisions on the page; the tab All has the others
const ended = ['completed', 'failed', 'canceled'];

/** Newest first: {of, args, said, user}. */
const answers = signal(/** @type {any[]} */ ([]));

/** Adds a decision to the page. @param {any} of the decision @param {any} args of the call @param {string} said */
export const keepAnswer = (of, args, said) => (answers.value = [{ of, args, said, user: user.peek(), at: new Date().toISOString() }, ...answers.peek()].slice(0, most));

/** The view of a prompt: its conversation, if it has one. @param {string} id */
export const whereOf = (id) => (id.startsWith('conv_') ? ['conversation', id.replace(/\.\d+$/, '')] : ['prompt', id]);

export const Answered = () => {
  const own = answers.value.filter((a) => a.user === user.value);
  return own.length > 0 && html`<ul class="inbox answered" aria-label="Your decisions">${own.map((a) => html`<li key=${a.of.id}><article class="card">
    <p role="status"><strong><code><${Text} of=${nameOf(a.of.tool)} /></code> ${a.said}</strong> <span class="faint">${when(a.at)}</span></p>
    ${a.args !== undefined && a.of.prompt_id && a.of.tool_call_id && html`<${Outcome} of=${a.of} />`}
    ${a.args !== undefined && html`<${Fold} label="Arguments">${() => html`<${Fields} of=${a.args} />`}<//>`}
    ${a.of.prompt_id && html`<p><a class="button small" href=${hrefOf('conversations', ...whereOf(a.of.prompt_id))}>Open ${whereOf(a.of.prompt_id)[0]}</a></p>`}</article></li>`)}</ul>`;
};

/** The result of a call, as soon as there is one. */
const Outcome = ({ of }) => {
  const loaded = useLoad(async (signal) => {
    const prompt = await windie.value.prompts.get(of.prompt_id, { signal });
    const step = prompt.output?.find((s) => s.type === 'tool' && s.id === of.tool_call_id);
    return { result: step?.result, over: ended.includes(prompt.status) };
  }, [of.id, windie.value]);
  const { result, over } = loaded.value ?? {};
  useEvery(() => !result && !over && !loaded.error && loaded.again(), every, [Boolean(result), over, Boolean(loaded.error)]);
  if (loaded.error) return html`<p class="faint">Cannot load the result: <${Text} of=${loaded.error.message} /></p>`;
  if (!result) return html`<p class="faint" role="status">${over ? 'Not called: the prompt ended first.' : 'Waiting for the result…'}</p>`;
  const words = result.error ? result.error.message ?? '' : wordsOf(result.output);
  return html`<div role="status"><p>Result: <span class=${`chip ${result.type}`}>${plain(result.type)}</span></p>
    ${words === undefined ? html`<${Fields} of=${result.output ?? null} label="Result" />` : html`<p class="words"><${Text} of=${words} limit=${2000} /></p>`}</div>`;
};
