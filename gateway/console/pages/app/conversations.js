// @ts-check
// Conversations: messages, calls and their results, live and afterwards.
import { cls, effect, headOf, html, inWords, plain, signal, useEffect, useEvery, useLoad, useRef, useState, when } from './lib.js';
import { go, hrefOf, lastScreen, route, say, windie } from './state.js';
import { fileName, save } from './archive.js';
import { fileOf } from './share.js';
import { Busy, Empty, Failure, Loaded, Sure, Tabs, Text } from './ui.js';
import { sessionRows, useSession } from './agents.js';
import { Timeline } from './timeline.js';
import { stepsOfTurns, Watch } from './watch.js';
import { isOver, moved, useTurns } from './turns.js';

const every = 5000; // ms between two loads of the list: agents start conversations too
const everySessions = 30_000; // ms between two loads of the agent sessions, whose list costs more
const size = 100; // entries per page, the limit of the gateway
const mostPages = 10; // in the search for a conversation's first prompt

export const Conversations = () => {
  const [, kind, id] = route.value;
  return html`<section class=${cls('talks', id && 'open')} aria-labelledby="talks-title">
    <div class="talk-list"><header class="bar"><h1 id="talks-title">Conversations</h1><${Begin} /></header><${Talks} chosen=${id} /></div>
    <div class="talk">${id ? html`<${Talk} key=${id} kind=${kind} id=${id} />` : html`<${Empty} title="Select a conversation"><p>Or start one with New. The gateway stores every step.</p><//>`}</div>
  </section>`;
};

const Begin = () => html`<button class="primary" onClick=${async () => {
  try {
    go('conversations', 'conversation', await windie.value.conversations.create());
  } catch (error) {
    say(error.message);
  }
}}>New</button>`;

/** The first messages of conversations; an empty one has the time of the answer. */
const titles = signal(/** @type {Record<string, {title: string, at: string}>} */ ({}));
effect(() => void (titles.value = windie.value && {})); // each user has their own
const asked = new Set(); // ids whose titles are loading

const titleOf = ({ id, at }) => (titles.value[id]?.title || titles.value[id]?.at === at ? titles.value[id].title : undefined);

/** The first pages of a list. @param {(after?: string) => any} page @param {number} most */
async function pagesOf(page, most) {
  const items = [];
  let next;
  for (let i = 0; i < most && (i === 0 || next); i++) {
    const got = await page(next);
    items.push(...got.items);
    next = got.next;
  }
  return { items, next };
}

/** Loads the first message of a conversation. */
async function learn({ id, at }) {
  if (asked.has(id)) return;
  asked.add(id);
  const client = windie.peek();
  try {
    const { items, next } = await pagesOf((after) => client.prompts.list({ conversationId: id, limit: size, after }), mostPages);
    if (client === windie.peek()) titles.value = { ...titles.peek(), [id]: { title: next ? 'Long conversation' : (items.at(-1)?.input ?? ''), at } };
  } catch {
    // the next load tries again
  }
  asked.delete(id);
}

const Talks = ({ chosen }) => {
  const [pages, setPages] = useState(1);
  const loaded = useLoad(async (signal) => {
    const client = windie.value;
    const [talks, prompts] = await Promise.all([pagesOf((after) => client.conversations.list({ limit: size, after, signal }), pages), pagesOf((after) => client.prompts.list({ limit: size, after, signal }), pages)]);
    const [first, last] = [new Map(), new Map()];
    for (const p of prompts.items) {
      first.set(p.conversationId, p.input);
      if (!last.has(p.conversationId)) last.set(p.conversationId, p.status);
    }
    const rows = [
      ...talks.items.map((c) => ({ kind: 'conversation', id: c.id, at: c.updatedAt, title: prompts.next ? undefined : (first.get(c.id) ?? ''), status: last.get(c.id) })),
      ...prompts.items.filter((p) => !p.conversationId).map((p) => ({ kind: 'prompt', id: p.id, at: p.createdAt, title: p.input, status: p.status })),
    ];
    return { all: rows, more: Boolean(talks.next || prompts.next) };
  }, [windie.value, chosen, moved.value, pages]);
  useEvery(() => !loaded.error && loaded.again(), every, [windie.value, chosen, moved.value, pages, Boolean(loaded.error)]);
  const sessions = useLoad((signal) => sessionRows(windie.value, signal), [windie.value, chosen]);
  useEvery(() => !loaded.error && sessions.again(), everySessions, [windie.value, chosen, Boolean(loaded.error)]);
  const [filter, setFilter] = useState('');
  return html`<label><span class="sr">Filter conversations</span><input type="search" placeholder="Filter" value=${filter} onInput=${(e) => setFilter(e.currentTarget.value)} /></label>
    <${Loaded} of=${loaded} what="Loading conversations">${({ all: talks, more }) => {
      const all = [...talks, ...(sessions.value ?? [])].sort((a, b) => b.at.localeCompare(a.at));
      const titled = all.map((t) => ({ ...t, title: t.title ?? titleOf(t) }));
      const shown = titled.filter((t) => t.title === undefined || t.title.toLowerCase().includes(filter.toLowerCase())); // a title that is in view is loaded
      return html`${shown.length === 0 ? html`<${Empty} title=${all.length > 0 ? 'No matching conversations' : 'No conversations yet'}>${all.length === 0 && html`<p>Start one with New.</p>`}<//>` : html`<ul class="rows">${shown.map((t) => html`<${Row} key=${t.id} of=${t} current=${t.id === chosen} look=${all} />`)}</ul>`}
        ${more && html`<div class="actions"><button class="small" onClick=${() => setPages(pages + 1)}>Load more</button>${filter && html`<span class="faint">The filter searches only the loaded conversations.</span>`}</div>`}`;
    }}<//>`;
};

/** The other types of rows in words. */
const alone = { prompt: 'single prompt', agent: 'agent session' };

/** A conversation, a single prompt or an agent session in the list; its title is loaded when the row is in view. */
const Row = ({ of, current, look }) => {
  const row = useRef(/** @type {any} */ (null));
  const known = of.title !== undefined;
  useEffect(() => {
    if (known) return;
    const watch = new IntersectionObserver((seen) => seen.some((s) => s.isIntersecting) && learn(of));
    watch.observe(row.current);
    return () => watch.disconnect();
  }, [of.id, known || look]);
  return html`<li ref=${row}><a class="row" href=${hrefOf('conversations', of.kind, of.id)} aria-current=${current ? 'page' : undefined}>
    ${known ? html`<${Text} of=${headOf(of.title || 'No messages', 120)} />` : html`<span class="faint">Loading title…</span>`}<span class="faint">${when(of.at)}${of.kind !== 'conversation' && ` · ${alone[of.kind]}`}${of.status && of.status !== 'completed' && ` · ${inWords(of.status)}`}</span></a></li>`;
};

/** How to continue an entry that the console cannot continue. */
const elsewhere = {
  prompt: () => 'You cannot continue a single prompt. To send more messages, start a conversation.',
  agent: (id) => html`A program runs the tools of this session. To continue, run <code>windie agent --session ${plain(id)}</code>`,
};

const Talk = ({ kind, id }) => {
  const talk = kind === 'agent' ? useSession(id) : useTurns(kind, id); // an id never changes its kind
  const [search, setSearch] = useState('');
  const end = useRef(/** @type {any} */ (null));
  const running = talk.turns.find((t) => !isOver(t));
  const [stays, setStays] = useState(true);
  const [view, setView] = useState('timeline');
  const steps = stepsOfTurns(talk.turns);
  const watched = steps.some((s) => s.screen);
  useEffect(() => {
    if (stays && !search && view === 'timeline') end.current?.scrollIntoView({ block: 'end' });
  }, [talk.revision]);
  const remove = async () => {
    try {
      await (kind === 'agent' ? windie.value.toolHosts.deleteSession(id) : windie.value.conversations.delete(id));
      go('conversations');
    } catch (error) {
      say(error.message);
    }
  };
  const stop = () => (kind === 'agent' ? windie.value.toolHosts.send(id, { type: 'cancel', turnId: running.id }) : windie.value.prompts.cancel(running.id)).catch((e) => say(e.message));
  return html`<header class="bar"><a class="button small back" href=${hrefOf('conversations')}>All conversations</a>
      <label class="grow"><span class="sr">Search this conversation</span><input type="search" placeholder="Search this conversation" value=${search} onInput=${(e) => setSearch(e.currentTarget.value)} /></label>
      <label class="check"><input type="checkbox" checked=${stays} onChange=${() => setStays(!stays)} />Follow</label>
      ${running && html`<button class="danger small" onClick=${stop}>Stop</button>`}
      <${Share} talk=${talk} id=${id} />
      ${kind !== 'prompt' && html`<${Sure} label="Delete" question="Delete this conversation permanently?" onYes=${remove} />`}</header>
    ${talk.error && html`<${Failure} error=${talk.error} again=${talk.again} />`}
    ${talk.lost && html`<p class="notice" role="status">Connection lost. Reconnecting…</p>`}
    ${!talk.loaded && !talk.error && html`<${Busy} what="Loading the conversation" />`}
    ${watched && html`<${Tabs} label="View" of=${[['timeline', 'Timeline'], ['watch', 'Watch']]} value=${view} onChange=${setView} />`}
    ${watched && view === 'watch' ? html`<${Watch} steps=${steps} />` : html`<${Timeline} turns=${talk.turns} search=${search} earlier=${talk.earlier} />`}
    ${talk.loaded && (elsewhere[kind] ? html`<p class="faint">${elsewhere[kind](id)}</p>` : html`<${Composer} disabled=${Boolean(running)} send=${talk.send} />`)}
    <div ref=${end}></div>`;
};

/** Exports a conversation as a file that opens anywhere. */
const Share = ({ talk, id }) => {
  const [busy, setBusy] = useState(false);
  const make = async () => {
    setBusy(true);
    try {
      const turns = await talk.all();
      const title = (turns[0]?.input || 'Conversation').replace(/^(.{60,80}) .*$|^(.{80}).*$/s, '$1$2…');
      save(await fileOf(title, turns), `${fileName(title, fileName(id, 'conversation'))}.html`);
    } catch (error) {
      say(error.message);
    }
    setBusy(false);
  };
  return html`<button class="small" disabled=${busy || talk.turns.length === 0} title="Saves all texts and images as one HTML file. Anyone with the file can read all of it." onClick=${make}>${busy ? 'Exporting…' : 'Export'}</button>`;
};

const Composer = ({ disabled, send }) => {
  const [text, setText] = useState('');
  const [shows, setShows] = useState(false);
  const form = useRef(/** @type {any} */ (null));
  const submit = (e) => {
    e?.preventDefault();
    if (disabled || !text.trim()) return;
    send({ input: text, ...(shows && lastScreen.value && { images: [{ artifact_id: lastScreen.value.id }] }) });
    setText('');
    setShows(false);
  };
  return html`<form class="composer" ref=${form} onSubmit=${submit}>
    <label><span class="sr">Message</span><textarea rows="2" placeholder="Send a message, for example: what tools are there" value=${text} onInput=${(e) => setText(e.currentTarget.value)}
      onKeyDown=${(e) => e.key === 'Enter' && !e.shiftKey && !e.isComposing && submit(e)}></textarea></label>
    ${lastScreen.value && html`<label class="check"><input type="checkbox" checked=${shows} onChange=${() => setShows(!shows)} />Attach the screen <${Text} of=${lastScreen.value.name} /></label>`}
    <button class="primary" disabled=${disabled}>${disabled ? 'Working…' : 'Send'}</button>
  </form>`;
};
