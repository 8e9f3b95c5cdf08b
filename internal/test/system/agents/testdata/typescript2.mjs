// The TypeScript SDK of MCP, 2.x, which speaks the newest version of the protocol.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { answerOf, leave, serve, versionOf } from './steps.mjs';

let client;

await serve({
  about: {
    version: versionOf('@modelcontextprotocol/client'),
    asks: true,
    cannot: {},
  },
  async open({ url, headers, command, env }) {
    client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } });
    client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: {} }));
    await client.connect(url ? new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) : new StdioClientTransport({ command: command[0], args: command.slice(1), env }));
  },
  list: async () => ({ names: (await client.listTools()).tools.map((tool) => tool.name) }),
  call: async ({ tool, arguments: given }) => answerOf(await client.callTool({ name: tool, arguments: given })),
  cancel: ({ tool, arguments: given, until }) => leave((signal) => client.callTool({ name: tool, arguments: given }, { signal }), until),
  close: () => client.close(),
});
