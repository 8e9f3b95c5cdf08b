import { AgentClient, moduleTool } from '@windie/sdk';

const client = new AgentClient({
  backendUrl: 'https://api.windieos.com',
});

const agent = await client.wakeUp({
  userId: 'dev-user',
  systemPrompt: 'You are a concise coding agent.',
  workspacePath: '/Users/me/project',
  tools: [
    moduleTool({
      name: 'save_note',
      module: 'my_project.tools:save_note',
      schema: {
        type: 'object',
        properties: { text: { type: 'string' } },
        required: ['text'],
        additionalProperties: false,
      },
    }),
  ],
});

agent.session.on('tool-schemas', event => {
  console.log(event.payload?.tool_schemas);
});

await agent.ask('Click the orange search button', {
  conversationRef: 'conv_123',
  screenshotRef: 'shot.png',
});
