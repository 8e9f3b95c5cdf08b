// @ts-check
// The turns of a conversation: loaded first, then followed by the cursor of their last event.
import { signal, useEffect, useRef, useState } from './lib.js';
import { say, windie } from './state.js';

const pause = 1500; // ms before the page reconnects to a stream
const ended = ['completed', 'failed', 'canceled'];

/** Grows when a prompt begins or ends here: the list of conversations reloads. */
export const moved = signal(0);

/** @param {{status: string}} turn */
export const isOver = (turn) => ended.includes(turn.status);

/** The turn of a prompt. */
export const turnOf = (p) => ({
  id: p.id, input: p.input, images: p.images ?? [], status: p.status, startedAt: p.createdAt, endedAt: p.endedAt, usage: p.usage, error: p.error,
  cursor: p.lastEventId, piece: '', approvals: p.approvals ?? [], notes: [], steps: p.output ?? [],
});

/** A turn after an event. Pure: the same turn and event give the same turn. */
export function applied(turn, { event, data, id }) {
  const next = { ...turn, cursor: id ?? turn.cursor };
  switch (event) {
    case 'prompt.created':
      return { ...next, id: data.promptId, status: 'running' };
    case 'prompt.delta':
      return { ...next, piece: data.restart ? data.text : turn.piece + data.text };
    case 'prompt.output':
      return { ...next, piece: '', steps: [...turn.steps, data], status: 'running', approvals: turn.approvals.filter((a) => a.toolCallId !== data.id) };
    case 'prompt.approval':
      return { ...next, status: data.answered ? turn.status : 'waiting_for_approval', approvals: [...turn.approvals.filter((a) => a.toolCallId !== data.toolCallId), ...(data.answered ? [] : [data])] };
    case 'prompt.progress':
      return { ...next, notes: [...turn.notes, ...[data.message, data.output].filter(Boolean)] };
    case 'prompt.warning':
    case 'prompt.repaired':
      return { ...next, notes: [...turn.notes, data.message] };
    case 'prompt.completed':
      return { ...next, status: 'completed', usage: data.usage, piece: '', approvals: [], endedAt: new Date().toISOString() };
    case 'error':
      return { ...next, status: data.reason === 'canceled' ? 'canceled' : 'failed', error: data, usage: data.usage, approvals: [], endedAt: new Date().toISOString() };
  }
  return next;
}

/** @param {string} kind conversation or prompt @param {string} id */
export function useTurns(kind, id) {
  const [state, set] = useState(/** @type {any} */ ({ turns: [], revision: 0 }));
  const [tries, again] = useState(0);
  const left = useRef(/** @type {any} */ (null));
  const asked = useRef(''); // the requested page of earlier turns
  const replace = (turn) => set((s) => ({ ...s, lost: false, revision: s.revision + 1, turns: s.turns.some((t) => t.key === turn.key) ? s.turns.map((t) => (t.key === turn.key ? turn : t)) : [...s.turns, turn] }));
  const followed = async (turn, events, signal) => {
    let now = turn;
    replace(now);
    try {
      for await (const e of events) {
        replace((now = applied(now, e)));
        if (e.event === 'prompt.created' || isOver(now)) moved.value++;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error.status) return replace({ ...now, status: 'failed', error });
    }
    if (isOver(now) || signal.aborted) return;
    if (!now.id) return replace({ ...now, status: 'failed', error: { message: 'Connection lost before the gateway responded. Check the list for your message before you send it again.' } });
    set((s) => ({ ...s, lost: true }));
    await new Promise((done) => setTimeout(done, pause));
    if (!signal.aborted) await followed(now, followedBehind(now, signal), signal);
  };
  useEffect(() => {
    const controller = (left.current = new AbortController());
    asked.current = '';
    set({ turns: [], revision: 0 });
    load(kind, id).then(
      ({ prompts, cursor }) => {
        if (controller.signal.aborted) return;
        const turns = prompts.map(turnOf).map((t) => ({ ...t, key: t.id }));
        set({ turns, loaded: true, cursor, revision: 1 });
        for (const t of turns.filter((one) => !isOver(one))) followed(t, followedBehind(t, controller.signal), controller.signal);
      },
      (error) => controller.signal.aborted || set({ turns: [], error, revision: 0 }),
    );
    return () => controller.abort();
  }, [kind, id, windie.value, tries]);
  const send = (message) => {
    const { signal } = left.current;
    const turn = { ...turnOf({ ...message, status: 'running', createdAt: new Date().toISOString() }), key: crypto.getRandomValues(new Uint32Array(2)).join('-') };
    followed(turn, windie.peek().prompts.start(message.input, { ...message, conversationId: id, deltas: true, signal }), signal);
  };
  const earlier = state.cursor && (async () => {
    const [page, { signal }] = [state.cursor, left.current];
    if (asked.current === page) return; // by a second click
    asked.current = page;
    try {
      const { prompts, cursor } = await load(kind, id, page);
      if (!signal.aborted) set((s) => ({ ...s, cursor, turns: [...prompts.map(turnOf).map((t) => ({ ...t, key: t.id })), ...s.turns] }));
    } catch (error) {
      asked.current = '';
      if (!signal.aborted) say(`Cannot load earlier prompts: ${error.message}`);
    }
  });
  /** All turns, also those that have not been loaded. */
  const all = async () => {
    const before = [];
    for (let cursor = state.cursor; cursor; ) {
      const page = await load(kind, id, cursor);
      before.unshift(...page.prompts.map(turnOf));
      cursor = page.cursor;
    }
    return [...before, ...state.turns];
  };
  return { ...state, send, earlier, all, again: () => again((n) => n + 1) };
}

/** The events of a turn after its cursor. */
const followedBehind = (turn, signal) => windie.peek().prompts.events(turn.id, { after: turn.cursor, deltas: true, signal });

async function load(kind, id, cursor) {
  if (kind === 'prompt') return { prompts: [await windie.peek().prompts.get(id)] };
  const got = await windie.peek().conversations.get(id, cursor && { cursor });
  return { prompts: got.prompts, cursor: got.nextCursor };
}
