import { at, CALLBACK, connectDrive, depart, driveSettings, follow, partOf, send } from './support/drive-connection.ts';
import { startGoogle } from './support/google/google.ts';
import { Mneme, until } from './support/mneme.ts';

const FULL = { metadata: { syncScope: 'full' } };
const MARKDOWN = 'text/markdown';

let google: Awaited<ReturnType<typeof startGoogle>>;
let mneme: Mneme;
const servers: Mneme[] = [];

beforeEach(async () => {
  google = await startGoogle();
  google.allow(CALLBACK);
  mneme = await start();
  google.channels.reach = (address) => at(mneme, address);
});
afterEach(async () => {
  await Promise.all([...servers.splice(0), mneme].map((one) => one.stop()));
  await google.close();
});

async function start(env: Readonly<Record<string, string>> = {}, folder?: string) {
  const server = await Mneme.start({
    env: { ...driveSettings(google), ...env },
    ...(folder !== undefined && { folder }),
  });
  servers.push(server);
  return server;
}

interface Shown {
  readonly title: string;
  readonly type: string;
  readonly status: string;
  readonly filepath: string;
  readonly customId: string;
  readonly metadata: Record<string, unknown>;
}

/** The documents, by what lies where. */
async function documents(): Promise<Record<string, Shown>> {
  const { body } = await mneme.request<{ memories: Shown[] }>('POST', '/v3/documents/list', { limit: 100 });
  return Object.fromEntries(body.memories.map((one) => [one.filepath, one]));
}

const paths = async () => Object.keys(await documents()).sort();

/** Waits until exactly these are there, and done. */
async function shows(...expected: string[]): Promise<void> {
  const wanted = JSON.stringify(expected.sort().map((path) => [path, 'done']));
  await until(
    async () =>
      JSON.stringify(
        Object.entries(await documents())
          .map(([path, { status }]) => [path, status])
          .sort(),
      ),
    (found) => found === wanted,
  );
}

const runs = async (id: string) =>
  (
    await mneme.request<{ status: string; triggerType: string; error: string | null }[]>(
      'GET',
      `/v3/connections/${id}/sync-runs`,
    )
  ).body;

/** Syncs, and waits for the end. */
async function sync(id: string) {
  const before = (await runs(id)).length;
  expect((await mneme.request('POST', '/v3/connections/google-drive/import')).status).toBe(202);
  return until(
    () => runs(id),
    (all) => all.length > before && all.every(({ status }) => status !== 'running'),
  );
}

const status = async (id: string) =>
  (await mneme.request<{ status: string; error: string | null }>('GET', `/v3/connections/${id}`)).body;

test('a person connects an account: Google asks, this server asks, and then the files come and stay in step', async () => {
  const { drive } = google;
  const farm = drive.addFolder({ name: 'Farm' });
  const other = drive.addFolder({ name: 'Other' });
  const plan = drive.addFile({ name: 'plan.txt', content: 'The barn is painted in May.', parent: farm });
  drive.addDocument({
    name: 'Notes',
    kind: 'document',
    exports: { [MARKDOWN]: '# Notes\n\nThe well is dry.' },
    parent: farm,
  });
  drive.addFile({ name: 'private.txt', content: 'A secret of the other folder.', parent: other });

  const begun = await depart(mneme, { redirectUrl: 'https://app.example.com/connected' });
  expect(begun).toMatchObject({ expiresIn: '1 hour', redirectsTo: 'https://app.example.com/connected' });
  expect((await mneme.request('GET', `/v3/connections/${begun.id}`)).status).toBe(404);
  const request = partOf(begun.page);
  expect((await send(mneme, '/connect/request', { request })).body).toEqual({
    ...{ provider: 'google-drive', account: 'alice@example.com', organization: expect.any(String) },
    ...{ containerTags: ['farm'], readsEverything: false, returnsTo: 'app.example.com' },
  });
  const answered = await send(mneme, '/connect/answer', { request, allow: true });
  expect(answered.body.location).toBe(`https://app.example.com/connected?connectionId=${begun.id}`);
  expect((await send(mneme, '/connect/answer', { request, allow: true })).status).toBe(400);

  // Nothing is read before something is selected.
  expect((await mneme.request('POST', '/v3/connections/google-drive/import')).status).toBe(202);
  expect(await runs(begun.id)).toEqual([]);
  const { body: link } = await mneme.request<{ url: string }>(
    ...([
      'POST',
      `/v3/connections/${begun.id}/google-drive/hosted-picker`,
      { redirectUrl: 'http://127.0.0.1:8123/' },
    ] as const),
  );
  const picker = partOf(link.url);
  const top = await send(mneme, '/connect/picker/list', { link: picker });
  expect(top.body).toMatchObject({ account: 'alice@example.com', selected: [], hasMore: false });
  const [root] = top.body.resources;
  const inside = await send(mneme, '/connect/picker/list', { link: picker, parent: root.id });
  expect(inside.body.resources.map(({ name }: { name: string }) => name)).toEqual(['Farm', 'Other']);
  const found = await send(mneme, '/connect/picker/list', { link: picker, search: 'plan' });
  expect(found.body.resources).toMatchObject([{ id: plan, kind: 'file' }]);
  const chosen = await send(mneme, '/connect/picker/selection', { link: picker, ids: [farm] });
  expect(chosen.body.location).toBe(`http://127.0.0.1:8123/?connectionId=${begun.id}`);

  await shows('/My Drive/Farm/Notes', '/My Drive/Farm/plan.txt');
  const first = await documents();
  expect(first['/My Drive/Farm/Notes']).toMatchObject({ type: 'google_doc', title: 'Notes' });
  expect(first['/My Drive/Farm/plan.txt']?.customId).toBe(`${begun.id}:${plan}`);

  // A change, a new name, a file that leaves and one that comes.
  drive.edit(plan, 'The barn is painted in June.');
  drive.rename(plan, 'plan of the barn.txt');
  const moved = drive.addFile({ name: 'moved.txt', content: 'Comes and goes.', parent: farm });
  await shows('/My Drive/Farm/Notes', '/My Drive/Farm/moved.txt', '/My Drive/Farm/plan of the barn.txt');
  expect((await documents())['/My Drive/Farm/plan of the barn.txt']?.customId).toBe(`${begun.id}:${plan}`);
  drive.move(moved, other);
  await shows('/My Drive/Farm/Notes', '/My Drive/Farm/plan of the barn.txt');
  drive.trash(plan);
  await shows('/My Drive/Farm/Notes');
  expect((await runs(begun.id)).some(({ triggerType }) => triggerType === 'event')).toBe(true);
});

test('what is refused, forged or too late connects nothing', async () => {
  google.oauth.consent = () => null;
  const refused = await depart(mneme, { redirectUrl: 'https://app.example.com/connected' });
  expect(refused.page).toBe('https://app.example.com/connected?error=access_denied');
  google.oauth.consent = (asked) => asked;

  const declined = await depart(mneme);
  const request = partOf(declined.page);
  const answer = await send(mneme, '/connect/answer', { request, allow: false });
  expect(answer.body.location).toContain('/connect/confirm?outcome=access_denied');
  expect(google.asked.filter(({ path }) => path === '/revoke')).toHaveLength(1);

  for (const path of ['auth/callback/google-drive', 'google-drive/callback']) {
    expect((await mneme.request('GET', `/v3/connections/${path}?state=forged&code=x`)).status).toBe(400);
  }
  expect((await send(mneme, '/connect/request', { request: 'forged' })).status).toBe(400);
  expect((await send(mneme, '/connect/picker/list', { link: request })).status).toBe(400);
  // A code counts once.
  const { back } = await depart(mneme);
  expect(await follow(at(mneme, back))).toContain('outcome=not_permitted');

  const elsewhere = { redirectUrl: 'https://evil.example/', containerTags: ['farm'] };
  const { status: answered, body } = await mneme.request('POST', '/v3/connections/google-drive', elsewhere);
  expect([answered, JSON.stringify(body)]).toEqual([400, expect.stringContaining('redirectUrl')]);
  expect((await mneme.request('POST', '/v3/connections/list')).body).toEqual([]);
});

test('the pages cannot be framed, and load nothing from elsewhere', async () => {
  for (const page of ['confirm', 'picker']) {
    const { headers, body } = await mneme.request<string>('GET', `/connect/${page}`);
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect([headers.get('x-frame-options'), headers.get('referrer-policy')]).toEqual(['DENY', 'no-referrer']);
    expect(body).toContain('<!doctype html>');
  }
});

test('a permission that ends in the middle is renewed, and faults of Google pass', async () => {
  for (let at = 0; at < 6; at += 1)
    google.drive.addFile({ name: `${at}.txt`, content: `The number of the file is ${at}.` });
  google.oauth.uses = 4;
  google.faults.add({ on: /\/files\?/, kind: 'userRateLimitExceeded', after: 1, retryAfter: 1 });
  google.faults.add({ on: /alt=media/, kind: 'backendError', times: 2 });
  await connectDrive(mneme, FULL);
  await shows(...Array.from({ length: 6 }, (_, at) => `/My Drive/${at}.txt`));
});

test('a page token that has ended, and doubled notifications, do no harm; a revoked permission removes nothing', async () => {
  const { drive, channels } = google;
  const file = drive.addFile({ name: 'a.txt', content: 'The first text.' });
  drive.addFile({ name: 'b.txt', content: 'The second text.' });
  channels.delivery = 'lost';
  const { id } = await connectDrive(mneme, FULL);
  await shows('/My Drive/a.txt', '/My Drive/b.txt');
  drive.edit(file, 'Another first text.');
  google.expirePageTokens();
  expect((await sync(id))[0]).toMatchObject({ status: 'completed', triggerType: 'manual' });
  channels.delivery = 'twice';
  drive.trash(file);
  await shows('/My Drive/b.txt');
  const [opened] = channels.opened;
  const notify = (token: string) =>
    mneme.request('POST', '/v3/connections/notifications/google-drive', undefined, {
      ...{ 'x-goog-channel-token': token, 'x-goog-resource-state': 'change', authorization: '' },
      // As Google sends it, without a body.
      'content-type': 'application/json; utf-8',
    });
  expect((await notify('forged')).status).toBe(404);
  expect((await notify(String(opened?.token))).status).toBe(204);

  google.oauth.revokeGrants();
  await sync(id);
  expect(await status(id)).toMatchObject({
    status: 'lost',
    error: expect.stringContaining('Connect the account again'),
  });
  expect(await paths()).toEqual(['/My Drive/b.txt']);
});

test('resources are listed and configured by key, and a deleted connection gives its permission back', async () => {
  const farm = google.drive.addFolder({ name: 'Farm' });
  google.drive.addFile({ name: 'a.txt', content: 'The only text.', parent: farm });
  const { id, location } = await connectDrive(mneme);
  expect(location).toContain('/connect/picker#');
  const list = (query = '') =>
    mneme.request<{ resources: { id: string; name: string }[] }>('GET', `/v3/connections/${id}/resources${query}`);
  const [root] = (await list()).body.resources;
  expect((await list(`?parent_id=${root?.id}&per_page=5`)).body).toMatchObject({
    ...{ has_more: false, resources: [{ id: farm, name: 'Farm', type: 'folder', selected: false }] },
  });
  expect((await list('?parent_id=nowhere')).status).toBe(400);
  const configure = (resources: unknown) => mneme.request('POST', `/v3/connections/${id}/configure`, { resources });
  expect((await configure([{ id: 'nowhere' }])).status).toBe(400);
  expect((await configure([{}])).status).toBe(400);
  expect((await configure([{ id: farm }])).body).toMatchObject({ success: true });
  await shows('/My Drive/Farm/a.txt');
  expect((await mneme.request('DELETE', `/v3/connections/${id}`)).status).toBe(200);
  await shows();
  await until(() => !google.oauth.isGranted);
});

test('the flow goes on in a server that was started anew, and without the settings there is none', async () => {
  google.drive.addFile({ name: 'a.txt', content: 'The only text.' });
  const begun = await mneme.request<{ id: string; authLink: string }>('POST', '/v3/connections/google-drive', FULL);
  mneme = await mneme.restart();
  const page = await follow(at(mneme, await follow(begun.body.authLink)));
  mneme = await mneme.restart();
  expect((await send(mneme, '/connect/answer', { request: partOf(page), allow: true })).status).toBe(200);
  await shows('/My Drive/a.txt');
  const none = await Mneme.start();
  servers.push(none);
  const { status: refused, body } = await none.request('POST', '/v3/connections/google-drive', FULL);
  expect([refused, JSON.stringify(body)]).toEqual([501, expect.stringContaining('MNEME_GOOGLE_CLIENT_ID')]);
});
