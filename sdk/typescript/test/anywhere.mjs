// What the client must do wherever it runs: in Node, Bun, Deno, and in a page of another origin. A wrong step throws.
const end = 'All three notes are kept.';
const schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false };

function must(condition, ...what) {
  if (!condition) throw new Error(what.map(w => (typeof w === 'string' ? w : JSON.stringify(w))).join(' '));
}

let people = 0;
const someone = () => `anywhere-${Date.now()}-${++people}`;

/** Asks about a screen, which is uploaded once. */
async function screens(sdk, { local, card, approvalKey }) {
  const windie = new sdk.Windie({ baseURL: local, userId: someone(), approvalKey });
  const screen = windie.screen(card);
  const [one, two] = await Promise.all([screen.resolve('Check out'), screen.resolve('Add to cart')]);
  must(one.status === 'found' && one.point.x > 0, one);
  must(two.status === 'ambiguous' && two.candidates.length === 2, two);
  const kept = await windie.artifacts.upload(card); // with a key, which a page may send only if the gateway allows it
  const picture = await (await windie.artifacts.download(kept.artifact_id)).arrayBuffer();
  must(picture.byteLength === card.size, picture.byteLength);
  const refused = await windie.artifacts.download('0'.repeat(32) + '.png').catch(error => error);
  must(refused instanceof sdk.APIError && refused.code === 'ARTIFACT_NOT_FOUND' && refused.requestId, String(refused), refused);
}

/** Hears a prompt, whose calls are approved, and leaves another one. */
async function prompts(sdk, { local, approvalKey }) {
  const windie = new sdk.Windie({ baseURL: local, userId: someone(), approvalKey });
  const stream = windie.prompts.start('Keep three notes', { onApproval: () => true, deltas: true });
  const result = await stream.final();
  must(result.text.endsWith(end), result.text);
  const stop = new AbortController();
  const reason = new Error('never mind');
  let failure;
  try {
    for await (const _ of windie.prompts.start('Keep three notes', { onApproval: () => new Promise(() => {}), signal: stop.signal })) stop.abort(reason);
  } catch (error) {
    failure = error;
  }
  must(failure === reason, 'an aborted stream ended with', String(failure));
}

/** Runs tools for an agent, over a connection that breaks. */
async function agents(sdk, baseURL, credentials) {
  const notes = [];
  const save = sdk.tool({ name: 'save_note', schema, run: ({ text }) => (notes.push(text), `kept ${text}`) });
  const log = [];
  const agent = await new sdk.AgentClient({ baseURL, logger: entry => log.push(entry), ...credentials }).wakeUp({ userId: credentials.userId, tools: [save] });
  try {
    let dropped = false;
    agent.session.on('tool-output', () => {
      if (!dropped) agent.session.socket().drop();
      dropped = true;
    });
    const { text } = await agent.ask('Keep three notes');
    must(text.endsWith(end) && dropped, text);
    must(notes.toSorted().join() === 'note 1,note 2,note 3', notes);
    must(log.some(entry => entry.event === 'reconnect'), 'it did not come back');
    must(!JSON.stringify(log).includes(credentials.token ?? 'ticket='), 'the log has a secret');
    return log.filter(entry => entry.event === 'response' && entry.path === '/api/socket-tickets').length;
  } finally {
    agent.close();
  }
}

/**
 * Does all that, with gateways that are a local and a hosted one, and notes with at.begins what begins. It returns how many
 * tickets were needed for sockets.
 */
export async function everything(sdk, at) {
  const begins = at.begins ?? (() => {});
  begins('screens');
  await screens(sdk, at);
  begins('prompts');
  await prompts(sdk, at);
  begins('agents of a local gateway');
  await agents(sdk, at.local, { userId: someone() });
  begins('agents of a hosted gateway');
  const { install_token: token, user_id: userId } = await new sdk.Windie({ baseURL: at.hosted }).register('test');
  const tickets = await agents(sdk, at.hosted, { token, userId });
  const wrong = await new sdk.AgentClient({ baseURL: at.hosted, token: 'wrong' }).wakeUp({ userId }).catch(error => error);
  must(wrong instanceof sdk.WindieError, 'a wrong token', String(wrong));
  return tickets;
}
