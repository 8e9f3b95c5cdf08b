// @ts-check
// Conversations: what was said, what was called and what came of it, live and afterwards.
import { cls, headOf, html, plain, useEffect, useEvery, useLoad, useRef, useState, when } from './lib.js';
import { go, hrefOf, lastScreen, route, say, windie } from './state.js';
import { fileName, save } from './archive.js';
import { fileOf } from './share.js';
import { Busy, Empty, Failure, Loaded, Sure, Text } from './ui.js';
import { Timeline } from './timeline.js';
import { isOver, moved, useTurns } from './turns.js';

const every = 5000; // ms between two looks at the list: agents begin conversations too

export const Conversations = () => {
  const [, kind, id] = route.value;
  return html`<section class=${cls('talks', id && 'open')} aria-labelledby="talks-title">
    <div class="talk-list"><header class="bar"><h1 id="talks-title">Conversations</h1><${Begin} /></header><${Talks} chosen=${id} /></div>
    <div class="talk">${id ? html`<${Talk} key=${id} kind=${kind} id=${id} />` : html`<${Empty} title="No conversation is open"><p>Begin one, or open one of the list. Every step is kept, and can be looked at afterwards.</p><//>`}</div>
  </section>`;
};

const Begin = () => html`<button class="primary" onClick=${async () => {
  try {
    go('conversations', 'conversation', await windie.value.conversations.create());
  } catch (error) {
    say(error.message);
  }
}}>New</button>`;

const Talks = ({ chosen }) => {
  const loaded = useLoad(async (signal) => {
    const [talks, prompts] = await Promise.all([windie.value.conversations.list({ limit: 50, signal }), windie.value.prompts.list({ limit: 100, signal })]);
    const first = new Map();
    for (const p of prompts.items) if (p.conversationId) first.set(p.conversationId, p);
    return [
      ...talks.items.map((c) => ({ kind: 'conversation', id: c.id, at: c.updatedAt, title: first.get(c.id)?.input ?? 'Empty', status: first.get(c.id)?.status })),
      ...prompts.items.filter((p) => !p.conversationId).map((p) => ({ kind: 'prompt', id: p.id, at: p.createdAt, title: p.input, status: p.status })),
    ].sort((a, b) => b.at.localeCompare(a.at));
  }, [windie.value, chosen, moved.value]);
  useEvery(() => !loaded.error && loaded.again(), every, [windie.value, chosen, moved.value, Boolean(loaded.error)]);
  const [filter, setFilter] = useState('');
  return html`<label><span class="sr">Filter conversations</span><input type="search" placeholder="Filter" value=${filter} onInput=${(e) => setFilter(e.currentTarget.value)} /></label>
    <${Loaded} of=${loaded} what="Loading conversations">${(all) => {
      const shown = all.filter((t) => t.title.toLowerCase().includes(filter.toLowerCase()));
      if (shown.length === 0) return html`<${Empty} title=${all.length > 0 ? 'Nothing passes the filter' : 'Nothing was said yet'} />`;
      return html`<ul class="rows">${shown.map((t) => html`<li key=${t.id}><a class="row" href=${hrefOf('conversations', t.kind, t.id)} aria-current=${t.id === chosen ? 'page' : undefined}>
        <${Text} of=${headOf(t.title, 120)} /><span class="faint">${when(t.at)}${t.kind === 'prompt' && ' · a prompt alone'}${t.status && t.status !== 'completed' && ` · ${plain(t.status).replaceAll('_', ' ')}`}</span></a></li>`)}</ul>`;
    }}<//>`;
};

const Talk = ({ kind, id }) => {
  const talk = useTurns(kind, id);
  const [search, setSearch] = useState('');
  const end = useRef(/** @type {any} */ (null));
  const running = talk.turns.find((t) => !isOver(t));
  const [stays, setStays] = useState(true);
  useEffect(() => {
    if (stays && !search) end.current?.scrollIntoView({ block: 'end' });
  }, [talk.revision]);
  const remove = async () => {
    try {
      await windie.value.conversations.delete(id);
      go('conversations');
    } catch (error) {
      say(error.message);
    }
  };
  return html`<header class="bar"><a class="button small back" href=${hrefOf('conversations')}>All</a>
      <label class="grow"><span class="sr">Search this conversation</span><input type="search" placeholder="Search this conversation" value=${search} onInput=${(e) => setSearch(e.currentTarget.value)} /></label>
      <label class="check"><input type="checkbox" checked=${stays} onChange=${() => setStays(!stays)} />Follow</label>
      ${running && html`<button class="danger small" onClick=${() => windie.value.prompts.cancel(running.id).catch((e) => say(e.message))}>Stop</button>`}
      <${Share} talk=${talk} id=${id} />
      ${kind === 'conversation' && html`<${Sure} label="Delete" question="Delete this conversation for good?" onYes=${remove} />`}</header>
    ${talk.error && html`<${Failure} error=${talk.error} again=${talk.again} />`}
    ${talk.lost && html`<p class="notice" role="status">The connection broke; trying again…</p>`}
    ${!talk.loaded && !talk.error && html`<${Busy} what="Loading the conversation" />`}
    <${Timeline} turns=${talk.turns} search=${search} earlier=${talk.earlier} />
    ${talk.loaded && html`<${Composer} disabled=${Boolean(running)} send=${talk.send} only=${kind === 'prompt'} />`}
    <div ref=${end}></div>`;
};

/** Saves a conversation as a file that opens anywhere. */
const Share = ({ talk, id }) => {
  const [busy, setBusy] = useState(false);
  const make = async () => {
    setBusy(true);
    try {
      const turns = await talk.all();
      const title = (turns[0]?.input || 'A conversation').replace(/^(.{60,80}) .*$|^(.{80}).*$/s, '$1$2…');
      save(await fileOf(title, turns), `${fileName(title, fileName(id, 'conversation'))}.html`);
    } catch (error) {
      say(error.message);
    }
    setBusy(false);
  };
  return html`<button class="small" disabled=${busy || talk.turns.length === 0} title="One file with all texts and pictures, which opens without this gateway. Whoever has it reads everything." onClick=${make}>${busy ? 'Saving…' : 'Save as a file'}</button>`;
};

const Composer = ({ disabled, send, only }) => {
  const [text, setText] = useState('');
  const [shows, setShows] = useState(false);
  const form = useRef(/** @type {any} */ (null));
  if (only) return html`<p class="faint">This prompt stands alone; begin a conversation to go on.</p>`;
  const submit = (e) => {
    e?.preventDefault();
    if (disabled || !text.trim()) return;
    send({ input: text, ...(shows && lastScreen.value && { images: [{ artifact_id: lastScreen.value.id }] }) });
    setText('');
    setShows(false);
  };
  return html`<form class="composer" ref=${form} onSubmit=${submit}>
    <label><span class="sr">Message</span><textarea rows="2" placeholder="Say something, as: what tools are there" value=${text} onInput=${(e) => setText(e.currentTarget.value)}
      onKeyDown=${(e) => e.key === 'Enter' && !e.shiftKey && !e.isComposing && submit(e)}></textarea></label>
    ${lastScreen.value && html`<label class="check"><input type="checkbox" checked=${shows} onChange=${() => setShows(!shows)} />Show it the screen <${Text} of=${lastScreen.value.name} /></label>`}
    <button class="primary" disabled=${disabled}>${disabled ? 'It works…' : 'Send'}</button>
  </form>`;
};
