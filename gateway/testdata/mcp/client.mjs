// Speaks MCP with a gateway by the official TypeScript SDK, and prints what it
// saw as one line of JSON. Between two lines of its input the test does its part.
//
//   node client.mjs URL 2025|2026 USER
import { createInterface } from 'node:readline';

const [url, generation, user] = process.argv.slice(2);
const saw = { changed: 0, asked: [], progress: [] };
const options = { capabilities: { elicitation: { form: {} } } };
let Client, Transport, call;
if (generation === '2026') {
  ({ Client, StreamableHTTPClientTransport: Transport } = await import('@modelcontextprotocol/client'));
  options.versionNegotiation = { mode: 'auto' };
  options.listChanged = { tools: { onChanged: () => { saw.changed++; } } };
  call = (client, params, opts) => client.callTool(params, opts);
} else {
  ({ Client } = await import('@modelcontextprotocol/sdk/client/index.js'));
  ({ StreamableHTTPClientTransport: Transport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js'));
  call = (client, params, opts) => client.callTool(params, undefined, opts);
}
const client = new Client({ name: 'test', version: '1' }, options);
const answer = async (request) => {
  saw.asked.push(request.params.message);
  return { action: 'accept', content: {} };
};
if (generation === '2026') {
  client.setRequestHandler('elicitation/create', answer);
} else {
  const { ElicitRequestSchema, ToolListChangedNotificationSchema } = await import('@modelcontextprotocol/sdk/types.js');
  client.setRequestHandler(ElicitRequestSchema, answer);
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => { saw.changed++; });
}
await client.connect(new Transport(new URL(url), { requestInit: { headers: { 'X-User-Id': user } } }));
const names = async () => (await client.listTools()).tools.map((tool) => tool.name);
saw.tools = await names();
saw.echo = await call(client, { name: 'test_echo', arguments: { a: 1 } });
saw.slow = await call(client, { name: 'test_slow', arguments: {} }, { onprogress: (p) => saw.progress.push(p.progress) });
saw.risky = await call(client, { name: 'test_risky', arguments: { what: 'all' } });
console.log('ready');
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
await lines.next(); // the tools change now
for (let i = 0; i < 200 && saw.changed === 0; i++) await new Promise((done) => setTimeout(done, 50));
saw.later = await names();
await client.close();
console.log(JSON.stringify(saw));
process.exit(0);
