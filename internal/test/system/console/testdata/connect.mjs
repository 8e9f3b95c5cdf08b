// The OAuth client of the TypeScript SDK of MCP, in the version of its arguments: it connects to the URL there, prints where the person's browser must go, and
// then the tools. For each line of its input it refreshes its tokens, if the line says so, and prints the tools again, or the error.
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const [, , url, version] = process.argv;
const packages = version === '2' ? ['client'] : ['sdk/client/auth.js', 'sdk/client/index.js', 'sdk/client/streamableHttp.js'];
const { auth, Client, StreamableHTTPClientTransport } = Object.assign({}, ...(await Promise.all(packages.map((name) => import(`@modelcontextprotocol/${name}`)))));
const print = (value) => console.log(JSON.stringify(value));
const listener = createServer();
await new Promise((done) => listener.listen(0, '127.0.0.1', done));
const kept = {};
const provider = {
  redirectUrl: `http://127.0.0.1:${listener.address().port}/callback`,
  clientMetadata: { client_name: 'TypeScript SDK', redirect_uris: ['http://127.0.0.1/callback'], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
  state: () => 'the state of this test',
  clientInformation: () => kept.client,
  saveClientInformation: (client) => { kept.client = client; },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => { kept.tokens = tokens; },
  redirectToAuthorization: (to) => print({ open: to.href }),
  saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
  codeVerifier: () => kept.verifier,
};
const came = new Promise((done) => {
  listener.on('request', (request, response) => {
    response.setHeader('Content-Type', 'text/html').end('<title>Done</title><link rel="icon" href="data:,"><p>You can close this page.</p>');
    const query = new URL(request.url, provider.redirectUrl).searchParams;
    if (query.has('state')) done(query);
  });
});
const transport = () => new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
const client = () => new Client({ name: 'test', version: '1' });
const first = transport();
await client().connect(first).catch((error) => { if (error.name !== 'UnauthorizedError' && error.constructor.name !== 'UnauthorizedError') throw error; });
const query = await came;
if (query.get('error')) {
  print({ refused: query.get('error') });
  process.exit(0);
}
await first.finishAuth(query.get('code'), query.get('iss') ?? undefined);
const connected = client();
await connected.connect(transport());
const list = async () => ({ iss: query.get('iss'), state: query.get('state'), scope: kept.tokens.scope, tools: (await connected.listTools()).tools.map((tool) => tool.name) });
print(await list());
for await (const line of createInterface({ input: process.stdin })) {
  try {
    if (line === 'refresh') {
      const before = kept.tokens.refresh_token;
      const result = await auth(provider, { serverUrl: url });
      print({ ...(await list()), result, rotated: kept.tokens.refresh_token !== before });
    } else print(await list());
  } catch (error) {
    print({ failed: String(error) });
  }
}
process.exit(0);
