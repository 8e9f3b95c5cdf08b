// Runs anywhere.mjs in the program that runs this file, and prints how many tickets it took.
import { readFile } from 'node:fs/promises';
import * as sdk from '@windie/sdk';
import { everything } from './anywhere.mjs';
import { approvalKey, card, hosted, local } from './env.mjs';

console.log(`tickets: ${await everything(sdk, { local, hosted, approvalKey, card: new Blob([await readFile(card)]) })}`);
process.exit(0); // Bun waits for timers
