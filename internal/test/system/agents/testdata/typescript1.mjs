// The TypeScript SDK of MCP, 1.x. Over stdio it shows the folder of the picture as a root.
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { answerOf, leave, serve, versionOf } from './steps.mjs';

let client;

await serve({
  about: {
    version: versionOf('@modelcontextprotocol/sdk'),
    asks: true,
    cannot: {},
  },
  async open({ url, headers, command, env }) {
    client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: { form: {} }, roots: {} } });
    client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: {} }));
    let args = command?.slice(1);
    const at = args?.indexOf('--root');
    client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots: command ? [{ uri: pathToFileURL(command[at + 2]).href }] : [] }));
    args = args?.toSpliced(at, 2); // the roots show it
    await client.connect(url ? new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) : new StdioClientTransport({ command: command[0], args, env }));
  },
  list: async () => ({ names: (await client.listTools()).tools.map((tool) => tool.name) }),
  call: async ({ tool, arguments: given }) => answerOf(await client.callTool({ name: tool, arguments: given })),
  cancel: ({ tool, arguments: given, until }) => leave((signal) => client.callTool({ name: tool, arguments: given }, undefined, { signal }), until),
  close: () => client.close(),
});
