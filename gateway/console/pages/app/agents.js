// @ts-check
// Sessions of programs whose own tools an agent calls, such as `windie agent`: with their messages as turns.
import { count, useEffect, useState } from './lib.js';
import { windie } from './state.js';

const pause = 1500; // ms before the page reconnects to a stream
const page = 100; // sessions per page, the limit of the gateway
const mostPages = 10; // of the list, which has no order
const accept = ['user.message', 'tool.started', 'tool.output', 'approval.request', 'approval.decided', 'warning', 'tool.progress'];

/** The user's sessions, as rows of the list of conversations. @param {any} client @param {AbortSignal} signal */
export async function sessionRows(client, signal) {
  const sessions = await client.toolHosts.sessions({ limit: page, signal }).all(page * mostPages);
  return sessions.map((s) => ({ kind: 'agent', id: s.sessionId, at: s.usedAt, title: s.title ?? '', status: s.running ? 'running' : 'completed' }));
}

/** The start and the end of a call, of which only the duration is known. @param {number} seconds */
const during = (seconds) => ({ start: new Date(0).toISOString(), end: new Date(seconds * 1000).toISOString() });

/** The output of a tool call as a JSON value, or as text. @param {string} text */
const outputOf = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** A turn with its last text as a step. */
const flushed = (turn) => (turn.piece.trim() ? { ...turn, piece: '', steps: [...turn.steps, { type: 'text', content: turn.piece }] } : { ...turn, piece: '' });

/** The result of a call. */
function resultOf({ outcome, isError, output }) {
  if (outcome === 'done' && !isError) return { type: 'success', output: outputOf(output) };
  return { type: outcome === 'done' ? 'error' : outcome, error: output };
}

/** A turn with a call, and the images of its result. @param {any} turn @param {any} call @param {string[]} [files] */
function called(turn, call, files = []) {
  const of = flushed(turn);
  const before = of.steps.find((s) => s.id === call.id && s.type === 'tool');
  const step = { ...before, type: 'tool', ...call };
  return {
    ...of, steps: [...(before ? of.steps.map((s) => (s === before ? step : s)) : [...of.steps, step]), ...files.map((id) => ({ type: 'file', id }))],
    approvals: of.approvals.filter((a) => a.toolCallId !== call.id),
  };
}

/** A turn after one of its messages. */
function taken(turn, m) {
  switch (m.type) {
    case 'assistant.delta':
      return { ...turn, piece: m.restart ? (m.content ?? '') : turn.piece + m.content };
    case 'tool.started':
      return called(turn, { id: m.toolCallId, function: m.name, input: m.arguments });
    case 'tool.output':
      return called(turn, { id: m.toolCallId, function: m.name, result: resultOf(m), ...(m.seconds !== undefined && during(m.seconds)) }, m.artifacts);
    case 'approval.request':
      return { ...flushed(turn), status: 'waiting_for_approval', approvals: [...turn.approvals, { toolCallId: m.toolCallId, toolName: m.name, input: m.arguments, reason: m.reason }] };
    case 'approval.decided':
      return { ...turn, status: 'running', approvals: turn.approvals.filter((a) => a.toolCallId !== m.toolCallId) };
    case 'warning':
    case 'tool.progress':
      return { ...turn, notes: [...turn.notes, ...[m.message, m.output].filter(Boolean)] };
    case 'assistant.done': {
      const { reason, answer, message, code, usage } = m.metadata;
      const status = { done: 'completed', canceled: 'canceled' }[reason] ?? 'failed';
      return { ...flushed({ ...turn, piece: turn.piece || (answer ?? '') }), status, usage, approvals: [], ...(status === 'failed' && { error: { reason, code, message } }) };
    }
  }
  return turn;
}

/** The turns after a message. Pure: the same turns and message give the same turns. @param {any[]} turns @param {any} m */
export function heard(turns, m) {
  if (m.type === 'user.message') {
    const notes = m.images ? [`${count(m.images, 'image')} attached.`] : [];
    return [...turns, { key: m.turnId, id: m.turnId, input: m.content, images: [], notes, steps: [], approvals: [], piece: '', status: 'running' }];
  }
  const at = m.turnId ? turns.findLastIndex((t) => t.id === m.turnId) : turns.length - 1;
  return at < 0 ? turns : turns.with(at, taken(turns[at], m));
}

/** A session's turns: all of them first, then each new message. It calls no tool. @param {string} id */
export function useSession(id) {
  const [state, set] = useState(/** @type {any} */ ({ turns: [], revision: 0 }));
  const [tries, again] = useState(0);
  useEffect(() => {
    const left = new AbortController();
    const { signal } = left;
    const { toolHosts } = windie.peek();
    let after = 0;
    const follow = async () => {
      try {
        await toolHosts.session(id, { signal });
        set((s) => ({ ...s, loaded: true, lost: false }));
        for await (const m of toolHosts.stream(id, { after: String(after), accept, watch: true, signal })) {
          after = m.seq || after;
          set((s) => ({ ...s, lost: false, revision: s.revision + 1, turns: heard(s.turns, m) }));
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error.status) return set((s) => ({ ...s, error }));
        set((s) => ({ ...s, lost: true }));
      }
      await new Promise((done) => setTimeout(done, pause));
      if (!signal.aborted) await follow();
    };
    set({ turns: [], revision: 0 });
    follow();
    return () => left.abort();
  }, [id, windie.value, tries]);
  return { ...state, all: async () => state.turns, again: () => again((n) => n + 1) };
}
