// What the tests know of the gateways that they talk to. Windie's Go tests start them: see TestTypeScriptClient.
import { readFile } from 'node:fs/promises';

const named = name => process.env[name] ?? (() => { throw new Error(`${name} is not set; these tests are run by Windie's Go tests`); })();

export const local = named('WINDIE_TEST_LOCAL');
export const hosted = named('WINDIE_TEST_HOSTED');
export const card = named('WINDIE_TEST_CARD');
export const approvalKey = named('WINDIE_TEST_APPROVAL_KEY');
export const runsKey = named('WINDIE_TEST_RUNS_KEY');
export const cardBytes = () => readFile(card);

const control = named('WINDIE_TEST_LOCAL_CONTROL');
export const fail = async (...faults) => void (await fetch(`${control}/faults`, { method: 'POST', body: JSON.stringify(faults) }));
export const cut = async () => void (await fetch(`${control}/cut`, { method: 'POST' }));
export const seen = async () => (await fetch(`${control}/seen`)).json();

let users = 0;
/** A user that no other test has. */
export const someone = () => `user-${process.pid}-${++users}`;
