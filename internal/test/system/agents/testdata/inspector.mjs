// The MCP Inspector on the command line, which is started anew for each step.
import { writeFileSync } from 'node:fs';
import { answerOf, leave, run, serve, versionOf } from './steps.mjs';

// inspect runs the Inspector, until the signal, and returns what it prints.
async function inspect(args, signal) {
  const { out } = await run(process.execPath, { args: ['node_modules/.bin/mcp-inspector', '--cli', '--config', 'servers.json', '--server', 'windie', ...args], signal });
  return JSON.parse(out.slice(out.indexOf('{')));
}

const call = (tool, given, signal) =>
  inspect(['--method', 'tools/call', '--tool-name', tool, ...Object.entries(given).flatMap(([name, value]) => ['--tool-arg', `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`])], signal);

await serve({
  about: {
    version: versionOf('@modelcontextprotocol/inspector'),
    asks: false,
    cannot: {},
  },
  async open({ url, headers, command, env }) {
    const server = url ? { type: 'streamable-http', url, headers } : { type: 'stdio', command: command[0], args: command.slice(1), env };
    writeFileSync('servers.json', JSON.stringify({ mcpServers: { windie: server } }));
    await inspect(['--method', 'tools/list']);
  },
  list: async () => ({ names: (await inspect(['--method', 'tools/list'])).tools.map((tool) => tool.name) }),
  call: async ({ tool, arguments: given }) => answerOf(await call(tool, given)),
  cancel: ({ tool, arguments: given, until }) => leave((signal) => call(tool, given, signal), until),
  close: async () => {},
});
