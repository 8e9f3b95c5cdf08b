// Codex, without a terminal. It may do anything, and so it answers its server's questions with yes by itself.
import { mkdirSync, writeFileSync } from 'node:fs';
import { agent, run, serve, versionOf } from './steps.mjs';

await serve(
  agent({ version: versionOf('@openai/codex'), model: 'responses', asks: true, cannot: {} }, async ({ model, url, headers = {}, command, env = {} }) => {
    const text = JSON.stringify; // TOML has the same texts and lists
    const table = (values) => Object.entries(values).map(([name, value]) => `${name} = ${text(value)}`);
    const server = url ? [`url = ${text(url)}`, '[mcp_servers.windie.http_headers]', ...table(headers)] : [`command = ${text(command[0])}`, `args = ${text(command.slice(1))}`, '[mcp_servers.windie.env]', ...table(env)];
    mkdirSync('.codex', { recursive: true });
    writeFileSync('.codex/config.toml', [
      'model = "m"', 'model_provider = "test"', 'approval_policy = "never"', 'sandbox_mode = "danger-full-access"', 'check_for_update_on_startup = false',
      '[model_providers.test]', 'name = "test"', `base_url = ${text(model)}`, 'wire_api = "responses"', 'env_key = "TEST_KEY"',
      '[mcp_servers.windie]', 'required = true', ...server,
    ].join('\n'));
    return (prompt, signal) =>
      run(process.execPath, { args: ['node_modules/.bin/codex', 'exec', '--skip-git-repo-check', '-'], env: { TEST_KEY: 'none' }, input: prompt, signal });
  }),
);
