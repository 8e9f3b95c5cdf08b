// Calls of a gateway's /openai/v1 by OpenAI's own JavaScript client:
//
//   node client.mjs BASE_URL ARTIFACT_ID PICTURE
//
// Its model does as the last message says: see obedient in openai_test.go.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import OpenAI, { toFile } from 'openai'

const [url, artifact, picture] = process.argv.slice(2)
const client = new OpenAI({ baseURL: url, apiKey: 'anything', maxRetries: 0, timeout: 60_000 })
const dataURL = 'data:image/png;base64,' + readFileSync(picture).toString('base64')
const weather = {
	type: 'function',
	function: { name: 'get_weather', description: 'Weather.', parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
}

const user = content => ({ role: 'user', content })
const chat = (messages, more = {}) => client.chat.completions.create({ model: 'obedient', messages, ...more })
const ask = (text, more) => chat([user(text)], more)
const said = answer => answer.choices[0].message.content
const chunks = async (text, more) => {
	const all = []
	for await (const c of await ask(text, { stream: true, ...more })) all.push(c)
	return all
}
const streamed = all => all.map(c => c.choices[0]?.delta.content ?? '').join('')
const refused = (kind, work) =>
	work().then(
		() => assert.fail(`${kind.name} was not thrown`),
		e => {
			assert.ok(e instanceof kind, `${e.constructor.name}: ${e.message}`)
			return e
		},
	)
const image = (url, more = {}) => ({ type: 'image_url', image_url: { url, ...more } })
const text = words => ({ type: 'text', text: words })

const calls = {
	'models are listed': async () => assert.deepEqual((await client.models.list()).data.map(m => m.id), ['default', 'obedient', 'counting']),
	'a model is looked up': async () => assert.equal((await client.models.retrieve('obedient')).owned_by, 'test'),
	'a model that is not there': async () => {
		const e = await refused(OpenAI.NotFoundError, () => client.models.retrieve('nosuch'))
		assert.equal(e.code, 'NOT_FOUND')
	},
	'an answer': async () => {
		const a = await ask('say Good morning.')
		assert.deepEqual([said(a), a.choices[0].finish_reason, a.object, a.model], ['Good morning.', 'stop', 'chat.completion', 'obedient'])
	},
	'its usage': async () => {
		const u = (await ask('say a b c')).usage
		assert.deepEqual([u.prompt_tokens, u.completion_tokens, u.total_tokens, u.prompt_tokens_details.cached_tokens], [11, 5, 16, 4])
	},
	'the default model': async () => assert.equal((await ask('say yes', { model: 'default' })).model, 'obedient'),
	'a stream': async () => assert.equal(streamed(await chunks('say one two three')), 'one two three'),
	'the end of a stream': async () => {
		const all = await chunks('say x')
		assert.deepEqual([all[0].choices[0].delta.role, all.at(-1).choices[0].finish_reason, new Set(all.map(c => c.id)).size], ['assistant', 'stop', 1])
	},
	'the usage of a stream': async () => {
		const last = (await chunks('say x', { stream_options: { include_usage: true } })).at(-1)
		assert.deepEqual([last.choices, last.usage.total_tokens], [[], 16])
	},
	'a stream that is left': async () => {
		const stream = await ask('long', { stream: true })
		for await (const c of stream) if (c.choices[0].delta.content) break
		stream.controller.abort()
		assert.equal(said(await ask('left')), 'yes')
	},
	'instructions': async () => assert.equal(said(await chat([{ role: 'system', content: 'Be brief.' }, { role: 'developer', content: 'Be kind.' }, user('system')])), 'Be brief.\n\nBe kind.'),
	'a conversation': async () => assert.equal(said(await chat([user('a'), { role: 'assistant', content: 'b' }, user('history')])), 'user assistant user'),
	'parts of text': async () => assert.equal(said(await chat([user([text('say '), text('parts')])])), 'parts'),
	'a picture': async () => assert.equal(said(await chat([user([image(dataURL), text('picture')])])), 'image/png'),
	'a picture with detail': async () => assert.equal(said(await chat([user([text('picture'), image(dataURL, { detail: 'low' })])])), 'image/png'),
	'an artifact': async () => assert.equal(said(await chat([user([image('artifact:' + artifact), text('picture')])])), 'image/png'),
	'a picture from elsewhere': async () => {
		const e = await refused(OpenAI.UnprocessableEntityError, () => chat([user([image('https://example.com/x.png')])]))
		assert.match(e.message, /body\.messages\[0\]\.content\[0\]\.image_url\.url/)
	},
	'a call': async () => {
		const choice = (await ask('call get_weather {"city":"Porto"}', { tools: [weather] })).choices[0]
		assert.deepEqual([choice.finish_reason, choice.message.tool_calls[0].function], ['tool_calls', { name: 'get_weather', arguments: '{"city":"Porto"}' }])
	},
	'a call in a stream': async () => {
		const found = (await chunks('call get_weather {"city":"Porto"}', { tools: [weather] })).flatMap(c => c.choices[0]?.delta.tool_calls ?? [])
		assert.deepEqual([found.length, found[0].index, found[0].function.name], [1, 0, 'get_weather'])
	},
	'the result of a call': async () => {
		const messages = [user('call get_weather {"city":"Porto"}')]
		const first = (await chat(messages, { tools: [weather] })).choices[0].message
		messages.push(first, { role: 'tool', tool_call_id: first.tool_calls[0].id, content: 'sunny' })
		assert.equal(said(await chat(messages, { tools: [weather] })), 'get_weather gave sunny')
	},
	'a result of no call': () => refused(OpenAI.UnprocessableEntityError, () => chat([user('x'), { role: 'tool', tool_call_id: 'nosuch', content: 'x' }])),
	'no calls are wanted': async () => assert.equal(said(await ask('tools', { tools: [weather], tool_choice: 'none' })), ''),
	'calls are wanted': async () => {
		const [call] = (await ask('json {"city":"Porto"}', { tools: [weather], tool_choice: 'required' })).choices[0].message.tool_calls
		assert.deepEqual([call.function.name, call.function.arguments], ['get_weather', '{"city":"Porto"}'])
	},
	'tools of the gateway': async () => assert.equal(said(await ask('call time_now {}')), 'time_now gave 10:00 AM'),
	'tools of the gateway in a stream': async () => assert.equal(streamed(await chunks('call time_now {}')), 'time_now gave 10:00 AM'),
	'a text that ends it': async () => assert.equal(said(await ask('say one two three four', { stop: ' three' })), 'one two'),
	'a text that ends a stream': async () => assert.equal(streamed(await chunks('say one two three four', { stop: ['four', 'e tw'] })), 'on'),
	'a bound': async () => {
		const choice = (await ask('say one two three', { max_completion_tokens: 2 })).choices[0]
		assert.deepEqual([choice.message.content, choice.finish_reason], ['one two', 'length'])
	},
	'an older bound': async () => assert.equal(said(await ask('say one two three', { max_tokens: 1 })), 'one'),
	'temperatures': async () => assert.deepEqual([said(await ask('steady', { temperature: 0 })), said(await ask('steady', { temperature: 0.7 }))], ['true', 'false']),
	'fields of a provider': async () => assert.equal(said(await ask('say x', { user: 'ada', seed: 1, top_p: 0.5, parallel_tool_calls: false, stop: null, anything: null })), 'x'),
	'several answers': () => refused(OpenAI.UnprocessableEntityError, () => ask('x', { n: 2 })),
	'an object as the answer': async () => assert.equal(said(await ask('json {"city":"Porto"}', { response_format: { type: 'json_object' } })), '{"city":"Porto"}'),
	'a schema for the answer': async () => {
		const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false }
		const response_format = { type: 'json_schema', json_schema: { name: 'place', strict: true, schema } }
		const a = await client.chat.completions.parse({ model: 'obedient', messages: [user('json {"city":"Porto"}')], response_format })
		assert.deepEqual(a.choices[0].message.parsed, { city: 'Porto' })
	},
	'a response that continues': async () => {
		const first = await client.responses.create({ model: 'obedient', input: 'say one' })
		const second = await client.responses.create({ model: 'obedient', input: 'history', previous_response_id: first.id })
		assert.deepEqual([first.output_text, second.output_text], ['one', 'user assistant user'])
		await client.responses.delete(first.id)
		await refused(OpenAI.NotFoundError, () => client.responses.retrieve(first.id))
	},
	'a response in a stream': async () => {
		const stream = client.responses.stream({ model: 'obedient', input: 'say one two' })
		assert.equal((await stream.finalResponse()).output_text, 'one two')
	},
	'a provider that is away': async () => {
		const e = await refused(OpenAI.InternalServerError, () => ask('away'))
		assert.deepEqual([e.status, e.code], [503, 'MODEL_UNAVAILABLE'])
	},
	'a provider that is away in a stream': async () => {
		const e = await refused(OpenAI.APIError, () => chunks('away'))
		assert.match(JSON.stringify(e.error ?? e.code), /MODEL_UNAVAILABLE/)
	},
	'vectors': async () => {
		const v = await client.embeddings.create({ model: 'counting', input: ['a', 'bb'] })
		assert.deepEqual(v.data.map(x => [x.index, x.embedding.length]), [[0, 3], [1, 3]])
	},
	'vectors as numbers': async () => {
		const [numbers, packed] = await Promise.all(['float', undefined].map(encoding_format => client.embeddings.create({ model: 'default', input: 'a', encoding_format })))
		assert.deepEqual([...packed.data[0].embedding], numbers.data[0].embedding)
	},
	'speech': async () => {
		const sound = await client.audio.speech.create({ model: 'any', voice: 'alloy', input: 'Good morning.', response_format: 'pcm' })
		assert.equal(sound.headers.get('content-type'), 'audio/pcm')
		assert.ok((await sound.arrayBuffer()).byteLength > 1000)
	},
	'text of speech': async () => {
		const sound = Buffer.from(await (await client.audio.speech.create({ model: 'any', voice: 'alloy', input: 'Good morning.', response_format: 'wav' })).arrayBuffer())
		assert.equal((await client.audio.transcriptions.create({ model: 'whisper-1', file: await toFile(sound, 'x.wav') })).text, 'Open the settings.')
	},
	'at once': async () => {
		const all = await Promise.all([...Array(8).keys()].map(i => ask(`say ${i}`)))
		assert.deepEqual(all.map(said), ['0', '1', '2', '3', '4', '5', '6', '7'])
	},
}

for (const [name, check] of Object.entries(calls)) {
	try {
		await check()
	} catch (e) {
		console.error(`${name}: ${e.stack}`)
		process.exit(1)
	}
}
console.log(`${Object.keys(calls).length} calls`)
