import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OpenIdProvider } from './openid-provider.ts';

/** With a provider that answers as the standard says, test/sign-in.spec.ts goes the whole way. */

const clock = { time: 0, now: () => clock.time };
const lines: string[] = [];
const CALLBACK = 'https://memory.example/callback';

let server: Server;
let issuer: string;
let answer: RequestListener;
beforeEach(async () => {
  lines.length = 0;
  clock.time = 1_000;
  server = createServer((request, response) => answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const open = (clientSecret = 'secret') =>
  new OpenIdProvider({
    ...{ issuer, clientId: 'mneme', clientSecret, callbackUrl: CALLBACK, clock },
    logger: { warn: (line) => lines.push(line) },
  });

const metadata = (more: object = {}) => ({
  ...{
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
  },
  ...more,
});

/** @param token what the provider answers to a code; its requests are in the returned list */
function serve(token: { readonly status: number; readonly body: object }, more: object = {}) {
  const asked: { authorization: string | undefined; body: string }[] = [];
  answer = (request, response) => {
    const isToken = request.url === '/token';
    const { status, body } = isToken ? token : { status: 200, body: metadata(more) };
    let text = '';
    request.on('data', (bytes) => {
      text += bytes;
    });
    request.on('end', () => {
      if (isToken) asked.push({ authorization: request.headers.authorization, body: text });
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  };
  return asked;
}

async function depart(provider = open()) {
  const departed = await provider.depart('/console');
  if (!departed.ok) throw new Error(departed.error);
  const { url, kept } = departed.value;
  const state = new URL(url).searchParams.get('state') as string;
  return { kept, state, query: `?code=c&state=${state}` };
}

const refused = (error: string) => ({ ok: false, error });

test('a provider that does not answer, or answers something else, is asked again with the next sign-in', async () => {
  const provider = open();
  answer = (_, response) => response.writeHead(502).end();
  expect(await provider.depart('/')).toEqual(refused('provider_unreachable'));
  answer = (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"issuer":"x"}');
  expect(await provider.depart('/')).toEqual(refused('provider_unreachable'));
  expect(lines).toHaveLength(2);
  serve({ status: 200, body: {} });
  expect((await provider.depart('/')).ok).toBe(true);
});

test.each([
  [500, {}, 'provider_unreachable'],
  [400, { error: 'invalid_grant' }, 'sign_in_failed'],
  [401, { error: 'invalid_client' }, 'sign_in_failed'],
  [200, { access_token: 'a', token_type: 'bearer' }, 'sign_in_failed'],
  [200, { access_token: 'a', token_type: 'bearer', id_token: 'a.b.c' }, 'sign_in_failed'],
])('a provider that answers %s %j to the code: %s', async (status, body, error) => {
  serve({ status, body });
  const { kept, query } = await depart();
  expect(await open().arrive(kept, query)).toEqual(refused(error));
  expect(lines.join()).not.toContain('secret');
  expect(lines).toHaveLength(1);
});

test('the secret goes as the provider takes it', async () => {
  const token = { status: 400, body: { error: 'invalid_grant' } };
  for (const [methods, isBasic] of [
    [undefined, true],
    [['client_secret_post', 'client_secret_basic'], true],
    [['client_secret_post'], false],
  ] as const) {
    const asked = serve(token, methods === undefined ? {} : { token_endpoint_auth_methods_supported: methods });
    const { kept, query } = await depart();
    await open().arrive(kept, query);
    expect(asked).toHaveLength(1);
    expect([asked[0]?.authorization?.startsWith('Basic '), asked[0]?.body.includes('client_secret=')]).toEqual([
      ...[isBasic || undefined, !isBasic],
    ]);
    expect(asked[0]?.body).toMatch(/code_verifier=[\w-]{43}/);
  }
});

test('only who has left comes back: with what was kept, in time, from a server with the same secret', async () => {
  const asked = serve({ status: 400, body: { error: 'invalid_grant' } });
  const { kept, query } = await depart();
  const unknown = refused('sign_in_unknown');
  expect(await open().arrive(null, query)).toEqual(unknown);
  expect(await open().arrive('nothing', query)).toEqual(unknown);
  expect(await open().arrive(`${kept.slice(0, -2)}xx`, query)).toEqual(unknown);
  expect(await open('another secret').arrive(kept, query)).toEqual(unknown);
  expect(await open().arrive(kept, '?code=c&state=x')).toEqual(unknown);
  expect(await open().arrive(kept, '')).toEqual(unknown);
  clock.time += 600_000;
  expect(await open().arrive(kept, query)).toEqual(unknown);
  clock.time -= 1;
  expect(await open().arrive(kept, query)).toEqual(refused('sign_in_failed'));
  expect(asked).toHaveLength(1);
});

test('what the provider refuses is no fault', async () => {
  serve({ status: 200, body: {} });
  const { kept, state } = await depart();
  expect(await open().arrive(kept, `?error=access_denied&state=${state}`)).toEqual(refused('sign_in_denied'));
  expect(lines).toEqual([]);
});
