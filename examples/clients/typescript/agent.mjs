// Asks an agent that has a tool of this program, and asks you before it does what can change something.
//
//	node agent.mjs "Keep three notes"
import { createInterface } from 'node:readline/promises';
import { AgentClient, tool } from '@windie/sdk';

const question = process.argv[2];
if (!question) {
  console.error('usage: node agent.mjs QUESTION, for example: node agent.mjs "Keep three notes"');
  process.exit(2);
}

const notes = [];
const saveNote = tool({
  name: 'save_note',
  description: 'Stores a note for the user.',
  risk: 'risky', // so that onApproval is asked
  schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false },
  run: ({ text }) => `kept as number ${notes.push(text)}`,
});

const terminal = createInterface({ input: process.stdin, output: process.stderr });
const agent = await new AgentClient().wakeUp({
  userId: process.env.USER || 'local',
  tools: [saveNote],
  onApproval: async ({ toolName, parameters, reason }) => (await terminal.question(`${toolName} ${JSON.stringify(parameters)}? ${reason} [yes] `)) === 'yes',
});
agent.session.on('streaming-response', event => process.stderr.write(event.payload.text));
const { text } = await agent.ask(question);
console.log(text);
for (const note of notes) console.log(`- ${note}`);
agent.close();
terminal.close();
