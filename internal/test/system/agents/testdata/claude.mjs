// Claude Code, without a terminal.
import { writeFileSync } from 'node:fs';
import { agent, run, serve, versionOf } from './steps.mjs';

const program = `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`;

await serve(
  agent({ version: versionOf('@anthropic-ai/claude-code'), model: 'anthropic', asks: false, cannot: {} }, async ({ model, url, headers, command, env }) => {
    const server = url ? { type: 'http', url, headers } : { command: command[0], args: command.slice(1), env };
    writeFileSync('servers.json', JSON.stringify({ mcpServers: { windie: server } }));
    return (prompt, signal) =>
      run(program, {
        args: ['-p', '--mcp-config', 'servers.json', '--strict-mcp-config', '--allowedTools', 'mcp__windie', '--model', 'claude-sonnet-4-5'],
        env: { ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: 'none', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1', ENABLE_TOOL_SEARCH: 'false' },
        input: prompt,
        signal,
      });
  }),
);
