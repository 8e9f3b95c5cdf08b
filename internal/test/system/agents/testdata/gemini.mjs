// Gemini CLI, without a terminal.
import { mkdirSync, writeFileSync } from 'node:fs';
import { agent, run, serve, versionOf } from './steps.mjs';

await serve(
  agent({ version: versionOf('@google/gemini-cli'), model: 'gemini', asks: false, cannot: {} }, async ({ model, url, headers, command, env }) => {
    const server = url ? { httpUrl: url, headers, trust: true } : { command: command[0], args: command.slice(1), env, trust: true };
    mkdirSync('.gemini', { recursive: true });
    writeFileSync('.gemini/settings.json', JSON.stringify({
      mcpServers: { windie: server },
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    }));
    return (prompt, signal) =>
      run(process.execPath, {
        args: ['node_modules/.bin/gemini', '--skip-trust', '--model', 'gemini-2.5-flash'],
        env: { GOOGLE_GEMINI_BASE_URL: model, GEMINI_API_KEY: 'none', GEMINI_CLI_NO_RELAUNCH: 'true' },
        input: prompt,
        signal,
      });
  }),
);
