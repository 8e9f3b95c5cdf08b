#!/usr/bin/env node
// Starts the program that npm has installed for this platform.
'use strict';
const { spawn } = require('node:child_process');

const name = `@windie/cli-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/windie${process.platform === 'win32' ? '.exe' : ''}`);
} catch {
  console.error(`windie: the package ${name} is missing; install windie without --omit=optional, on Linux, macOS or Windows with an x64 or arm64 processor`);
  process.exit(1);
}
const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', error => {
  console.error(`windie: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
