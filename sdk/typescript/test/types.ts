// What a program that uses the client looks like to its compiler; it is not run.
import { AgentClient, type Resolution, Windie, found, tool } from '@windie/sdk';

const windie = new Windie({ userId: 'ada' });

export async function program(): Promise<void> {
  const target = await windie.screen('shot.png').resolve('Check out', { region: { x: 0, y: 0, width: 10, height: 10 } });
  if (target.status === 'found') console.log(target.point.x, target.match.candidate_id);
  else if (target.status === 'ambiguous') console.log(target.candidates.map(c => c.distinction?.occurrence));
  const row: number = found(target as Resolution).center.x;
  for await (const event of windie.prompts.start('hello')) {
    if (event.event === 'prompt.output' && event.data.type === 'tool') console.log(event.data.function, row);
    if (event.event === 'prompt.approval') await windie.prompts.approve(event.data.promptId, event.data.toolCallId);
  }
  const agent = await new AgentClient().wakeUp({ tools: [tool<{ text: string }>({ name: 'a', schema: {}, run: ({ text }) => text.length })] });
  agent.session.on('tool-call', event => console.log(event.payload.tool_name));
  // @ts-expect-error there is no such message
  agent.session.on('tool-cal', () => {});
  // @ts-expect-error undefined is no text
  await windie.screen('a').find(undefined);
  for await (const conversation of windie.conversations.list()) console.log(conversation.updatedAt);
}
