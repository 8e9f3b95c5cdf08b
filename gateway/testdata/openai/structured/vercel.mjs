// Vercel's AI SDK: objects, forced tools and a loop with a tool, with responses and with chat completions.
//
//   node vercel.mjs BASE_URL
import assert from 'node:assert/strict'
import { createOpenAI } from '@ai-sdk/openai'
import { generateObject, generateText, stepCountIs, streamObject, streamText, tool } from 'ai'
import { z } from 'zod'

const openai = createOpenAI({ baseURL: process.argv[2], apiKey: 'anything' })
const schema = z.object({ city: z.string(), rooms: z.number() })
const place = tool({ inputSchema: schema }), other = tool({ inputSchema: z.object({}) })
const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async () => 'sunny' })
const ask = 'json {"city":"Porto","rooms":3}', call = 'call weather {"city":"Porto"}', wanted = { city: 'Porto', rooms: 3 }

let answers = 0
const right = (got, want) => {
	assert.deepEqual(got, want)
	answers++
}
for (const model of [openai('default'), openai.chat('default')]) {
	const base = { model, maxRetries: 0 }
	right((await generateObject({ ...base, schema, prompt: ask })).object, wanted)
	const stream = streamObject({ ...base, schema, prompt: ask })
	for await (const _ of stream.partialObjectStream);
	right(await stream.object, wanted)
	for (const toolChoice of ['required', { type: 'tool', toolName: 'place' }]) {
		const tools = toolChoice === 'required' ? { place } : { other, place }
		right((await generateText({ ...base, prompt: ask, toolChoice, tools })).toolCalls[0].input, wanted)
	}
	const loop = { ...base, prompt: call, tools: { weather }, stopWhen: stepCountIs(3) }
	right((await generateText(loop)).text, 'weather gave sunny')
	right(await streamText(loop).text, 'weather gave sunny')
}
console.log(`${answers} answers`)
