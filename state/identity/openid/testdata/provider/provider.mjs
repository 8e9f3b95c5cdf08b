// Runs an OpenID provider for tests: oidc-provider, with its own pages to sign in at.
//
//   node provider.mjs DIR REDIRECT PEOPLE
//
// DIR has the package. PEOPLE are the claims of each person, as JSON by the name that they sign in with; any password does. The
// provider prints its URL, and ends with its standard input.
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

const [dir, redirect, people] = process.argv.slice(2);
const { Provider } = await import(pathToFileURL(`${dir}/node_modules/oidc-provider/lib/index.js`).href);
const claims = JSON.parse(people);

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(url, {
    clients: [{ client_id: 'windie', client_secret: 'the secret of this client', redirect_uris: [redirect] }],
    claims: { openid: ['sub'], profile: ['name', 'groups', 'windie_user'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    cookies: { keys: ['a key of tests'] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...claims[id] }) }),
  });
  server.on('request', provider.callback());
  console.log(url);
});
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
