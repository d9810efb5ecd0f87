import { createServer, type Server } from 'node:http';
import { findChromium, Tab } from './support/browser.ts';
import { CLIENT, IdentityProvider } from './support/identity-provider.ts';
import { listen } from './support/listen.ts';
import { eventually, Mneme, OWNER_KEY } from './support/mneme.ts';
import { Connection, sendForm } from './support/oauth.ts';

/** The page on which a person connects an application, in a browser. */

const chromium = findChromium();
const NAME = '<img src=x onerror=alert(1)> Notebook';

/** A port that nothing listens on at the moment. */
async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

if (chromium === null) {
  test.skip('SKIPPED: Chromium is not installed (Debian: chromium)', () => {});
} else {
  let address: string;
  let provider: IdentityProvider;
  let mneme: Mneme;
  let application: Server;
  /** Paths of the application to which browsers went back. */
  const arrived: string[] = [];
  let tab: Tab;
  let connection: Connection;

  beforeAll(async () => {
    const port = await freePort();
    address = `http://127.0.0.1:${port}`;
    provider = await IdentityProvider.start(`${address}/v3/session/oidc/callback`);
    const env = { ...CLIENT, MNEME_OIDC_ISSUER: provider.issuer, MNEME_PUBLIC_URL: address, MNEME_OAUTH: 'on' };
    mneme = await Mneme.start({ env: { ...env, MNEME_PORT: String(port) } });
    application = createServer((request, response) => {
      arrived.push(request.url ?? '');
      response.setHeader('content-type', 'text/html').end('<p>Connected</p>');
    });
    await listen(application);
  }, 120_000);
  afterAll(async () => {
    application?.closeAllConnections();
    application?.close();
    await mneme?.stop();
    await provider?.stop();
  });

  beforeEach(async () => {
    arrived.length = 0;
    tab = await Tab.open(chromium);
    const { port } = application.address() as { readonly port: number };
    const redirectUri = `http://127.0.0.1:${port}/callback`;
    const fields = { client_name: NAME, redirect_uris: [redirectUri] };
    const { body } = await mneme.post<{ client_id: string }>('/oauth/register', fields);
    connection = new Connection(address, body.client_id, redirectUri);
    await tab.goTo(`${address}/oauth/authorize?${connection.query()}`);
    await shown('sign-in');
  }, 60_000);
  afterEach(() => tab?.close());

  const shown = (id: string) =>
    eventually(async () => {
      const isShown = `document.readyState === 'complete' && document.getElementById('${id}')?.hidden === false`;
      return (await tab.evaluate<boolean>(isShown).catch(() => false)) ? true : null;
    }, 30_000);
  const back = async (): Promise<URLSearchParams> => {
    const path = await eventually(async () => arrived.find((url) => url.startsWith('/callback?')) ?? null);
    return new URL(path, address).searchParams;
  };

  test('a person signs in with a key, sees who asks, permits reading in one space, and goes back', async () => {
    await tab.evaluate(`{
      const form = document.getElementById('sign-in');
      form.elements.key.value = '${OWNER_KEY}';
      form.querySelector('button[value=key]').click();
    }`);
    await shown('consent');
    const text = await tab.evaluate<string>(`document.getElementById('consent').innerText`);
    expect(text).toContain(NAME);
    expect(text).toContain('nobody confirms its name');
    expect(text).toContain(`a program on this device (${new URL(connection.redirectUri).host})`);
    await tab.evaluate(`{
      const form = document.getElementById('consent');
      form.elements.access.value = 'read';
      form.elements.tags.value = ' farm \\n';
      form.querySelector('button[value=allow]').click();
    }`);
    const code = (await back()).get('code') as string;
    const { body } = await sendForm(address, '/oauth/token', connection.exchange(code));
    expect(body.scope).toBe('read');
    const { body: listed } = await mneme.get<{ keys: object[] }>('/v3/auth/keys');
    const containerTags = [{ containerTag: 'farm', permission: 'read' }];
    expect(listed.keys).toContainEqual(expect.objectContaining({ name: NAME, permission: 'read', containerTags }));
  }, 120_000);

  test('a person signs in by the provider, comes back to what was asked, and refuses', async () => {
    provider.people.ada = { email: 'ada@example.com', email_verified: true, name: 'Ada' };
    provider.next = 'ada';
    await mneme.post('/v3/team/invitations', { email: 'ada@example.com' });
    await tab.evaluate(`document.querySelector('#sign-in button[value=oidc]').click()`);
    await shown('consent');
    expect(await tab.evaluate<string>(`document.getElementById('consent').innerText`)).toContain('Ada, in Mneme');
    await tab.evaluate(`document.querySelector('#consent button[value=refuse]').click()`);
    expect((await back()).get('error')).toBe('access_denied');
  }, 120_000);
}
