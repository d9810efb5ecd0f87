import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { listen } from '../listen.ts';
import { FOLDER, SHORTCUT } from './drive.ts';
import { startGoogle } from './google.ts';

type Google = Awaited<ReturnType<typeof startGoogle>>;

const CALLBACK = 'http://127.0.0.1/callback';
const READ = 'https://www.googleapis.com/auth/drive.readonly';
const VERIFIER = 'a-verifier-that-is-long-enough-to-be-one-of-these-0123';

let google: Google;
beforeEach(async () => {
  google = await startGoogle();
  google.allow(CALLBACK);
});
afterEach(() => google.close());

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
type Json = any;

async function authorize(more: Record<string, string> = {}): Promise<URL> {
  const query = new URLSearchParams({
    ...{ client_id: 'client-id', redirect_uri: CALLBACK, response_type: 'code', scope: `openid email ${READ}` },
    ...{ access_type: 'offline', state: 's1', code_challenge_method: 'S256' },
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    ...more,
  });
  const answer = await fetch(`${google.authorizationUrl}?${query}`, { redirect: 'manual' });
  return new URL(answer.headers.get('location') ?? 'about:blank');
}

async function post(url: string, form: Record<string, string>): Promise<{ status: number; body: Json }> {
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(form) });
  return { status: answer.status, body: await answer.json() };
}

const CLIENT = { client_id: 'client-id', client_secret: 'client-secret' };

async function exchange(back: URL, more: Record<string, string> = {}) {
  const code = back.searchParams.get('code') ?? '';
  const form = { ...CLIENT, grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER };
  return post(google.tokenUrl, { ...form, ...more });
}

const refresh = (refresh_token: string) =>
  post(google.tokenUrl, { ...CLIENT, grant_type: 'refresh_token', refresh_token });

async function signIn(): Promise<(path: string, init?: RequestInit) => Promise<{ status: number; body: Json }>> {
  const { body: tokens } = await exchange(await authorize({ prompt: 'consent' }));
  return async (path, init = {}) => {
    const headers = { authorization: `Bearer ${tokens.access_token}`, ...init.headers };
    const answer = await fetch(google.driveUrl + path, { ...init, headers });
    const text = await answer.text();
    return {
      status: answer.status,
      body: answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text,
    };
  };
}

const asPath = (path: string, query: Record<string, string>) => `${path}?${new URLSearchParams(query)}`;

describe('authorization', () => {
  it('gives tokens for a code with its verifier, once', async () => {
    const back = await authorize();
    expect(back.searchParams.get('state')).toBe('s1');
    const { status, body } = await exchange(back);
    expect({ status, type: body.token_type, scope: body.scope }).toEqual({
      ...{ status: 200, type: 'Bearer', scope: `openid email ${READ}` },
    });
    expect([body.refresh_token, body.id_token].map((token) => typeof token)).toEqual(['string', 'string']);
    expect((await exchange(back)).body.error).toBe('invalid_grant');
    expect((await refresh(body.refresh_token)).body.access_token).not.toBe(body.access_token);
  });

  it('refuses another verifier, another address and another client', async () => {
    expect((await exchange(await authorize(), { code_verifier: 'other' })).body.error).toBe('invalid_grant');
    const other = await exchange(await authorize(), { redirect_uri: `${CALLBACK}/2` });
    expect(other.body.error).toBe('redirect_uri_mismatch');
    expect((await exchange(await authorize(), { client_secret: 'other' })).status).toBe(401);
    expect((await authorize({ redirect_uri: 'https://other.example' })).href).toBe('about:blank');
  });

  it('gives a refresh token the first time, or when the user is asked again', async () => {
    expect((await exchange(await authorize())).body.refresh_token).toBeDefined();
    expect((await exchange(await authorize())).body.refresh_token).toBeUndefined();
    expect((await exchange(await authorize({ prompt: 'consent' }))).body.refresh_token).toBeDefined();
    expect((await exchange(await authorize({ prompt: 'consent', access_type: 'online' }))).body.refresh_token).toBe(
      undefined,
    );
  });

  it('tells what the user granted, or that he did not', async () => {
    google.oauth.consent = () => ['openid'];
    expect((await exchange(await authorize())).body.scope).toBe('openid');
    google.oauth.consent = () => null;
    expect((await authorize()).searchParams.get('error')).toBe('access_denied');
  });

  it('ends a grant with either token, and when the user takes it back', async () => {
    const { body } = await exchange(await authorize());
    await post(google.revokeUrl, { token: body.access_token });
    expect((await refresh(body.refresh_token)).body).toEqual({
      ...{ error: 'invalid_grant', error_description: 'Token has been expired or revoked.' },
    });
    expect((await post(google.revokeUrl, { token: body.refresh_token })).status).toBe(400);
    const { body: again } = await exchange(await authorize());
    google.oauth.revokeGrants();
    expect((await refresh(again.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('ends access tokens after some requests', async () => {
    google.oauth.uses = 2;
    const ask = await signIn();
    const statuses = [];
    for (let times = 0; times < 3; times += 1) statuses.push((await ask('/files')).status);
    expect(statuses).toEqual([200, 200, 401]);
  });
});

describe('files', () => {
  it('lists with a query, in pages and with the fields that are asked for', async () => {
    const folder = google.drive.addFolder({ name: "Bob's notes" });
    for (const number of [1, 2, 3]) google.drive.addFile({ name: `note ${number}.txt`, parent: folder });
    google.drive.trash(google.drive.addFile({ name: 'gone.txt', parent: folder }));
    const ask = await signIn();
    const query = { q: `'${folder}' in parents and trashed = false`, pageSize: '2', orderBy: 'name' };
    const fields = 'nextPageToken,files(name,parents)';
    const { body: first } = await ask(asPath('/files', { ...query, fields }));
    expect(first.files).toEqual([1, 2].map((number) => ({ name: `note ${number}.txt`, parents: [folder] })));
    const pageToken = first.nextPageToken;
    const { body: second } = await ask(asPath('/files', { ...query, fields, pageToken }));
    expect(second).toEqual({ files: [{ name: 'note 3.txt', parents: [folder] }] });
    const { body: named } = await ask(asPath('/files', { q: `name = 'Bob\\'s notes' and mimeType = '${FOLDER}'` }));
    expect(named.files).toEqual([{ kind: 'drive#file', id: folder, name: "Bob's notes", mimeType: FOLDER }]);
    expect((await ask(asPath('/files', { q: 'nothing like this' }))).body.error.errors[0]).toMatchObject({
      ...{ reason: 'invalid', location: 'q' },
    });
    expect((await ask(asPath('/files', { pageToken, q: "name = 'other'" }))).status).toBe(400);
  });

  it('gives contents and exports, and says why not', async () => {
    const { drive } = google;
    const file = drive.addFile({ name: 'a.txt', content: 'hello' });
    const doc = drive.addDocument({ kind: 'document', name: 'Doc', exports: { 'text/markdown': '# Hi' } });
    const large = drive.addDocument({
      ...{ kind: 'spreadsheet', name: 'Large', exports: { 'text/csv': Buffer.alloc(10 * 1024 * 1024 + 1) } },
    });
    const ask = await signIn();
    expect((await ask(`/files/${file}?alt=media`)).body).toBe('hello');
    const md5Checksum = createHash('md5').update('hello').digest('hex');
    expect((await ask(`/files/${file}?fields=md5Checksum,size`)).body).toEqual({ md5Checksum, size: '5' });
    expect((await ask(asPath(`/files/${doc}/export`, { mimeType: 'text/markdown' }))).body).toBe('# Hi');
    const reasons = [];
    for (const path of [
      `/files/${doc}?alt=media`,
      asPath(`/files/${file}/export`, { mimeType: 'text/plain' }),
      asPath(`/files/${doc}/export`, { mimeType: 'image/png' }),
      asPath(`/files/${large}/export`, { mimeType: 'text/csv' }),
      '/files/none',
    ]) {
      const { status, body } = await ask(path);
      reasons.push(`${status} ${body.error.errors[0].reason}`);
    }
    expect(reasons).toEqual([
      '403 fileNotDownloadable',
      '403 fileNotExportable',
      '400 badRequest',
      '403 exportSizeLimitExceeded',
      '404 notFound',
    ]);
  });

  it('has shared drives for those who know them, and shortcuts with their targets', async () => {
    const { drive } = google;
    const shared = drive.addSharedDrive('Team');
    const inside = drive.addFile({ name: 'plan.md', parent: shared });
    const shortcut = drive.addShortcut({ name: 'to the plan', target: inside });
    const ask = await signIn();
    expect((await ask('/drives')).body.drives).toEqual([{ kind: 'drive#drive', id: shared, name: 'Team' }]);
    expect((await ask(`/files/${inside}`)).status).toBe(404);
    expect((await ask(`/files/${inside}?supportsAllDrives=true`)).body).toMatchObject({ driveId: shared });
    expect((await ask('/files')).body.files.map(({ id }: Json) => id)).toEqual([shortcut]);
    const all = { includeItemsFromAllDrives: 'true', supportsAllDrives: 'true' };
    const { body } = await ask(asPath('/files', { ...all, corpora: 'drive', driveId: shared }));
    expect(body.files.map(({ id }: Json) => id)).toEqual([inside]);
    expect((await ask(`/files/${shortcut}?fields=mimeType,shortcutDetails`)).body).toEqual({
      ...{ mimeType: SHORTCUT, shortcutDetails: { targetId: inside, targetMimeType: 'text/plain' } },
    });
  });

  it('fails as it is told', async () => {
    const ask = await signIn();
    google.faults.add({ kind: 'userRateLimitExceeded' });
    google.faults.add({ kind: 'tooManyRequests', on: /changes/, after: 1 });
    expect((await ask('/files')).body.error.errors[0]).toMatchObject({ reason: 'userRateLimitExceeded' });
    expect((await ask('/files')).status).toBe(200);
    expect((await ask('/changes/startPageToken')).status).toBe(200);
    expect((await ask('/changes/startPageToken')).status).toBe(429);
    google.faults.add({ kind: 'cut' });
    await expect(ask('/files')).rejects.toThrow();
    expect(google.asked.map(({ path }) => path)).toContain('/drive/v3/changes/startPageToken');
  });
});

describe('changes', () => {
  it('tells the newest state of what changed since a token', async () => {
    const { drive } = google;
    const [kept, edited, deleted] = ['a', 'b', 'c'].map((name) => drive.addFile({ name })) as [string, string, string];
    const ask = await signIn();
    const start = (await ask('/changes/startPageToken')).body.startPageToken;
    drive.edit(edited, 'new');
    drive.rename(edited, 'b2');
    drive.trash(kept);
    drive.delete(deleted);
    const fields = 'newStartPageToken,nextPageToken,changes(removed,fileId,file(name,trashed))';
    const first = (await ask(asPath('/changes', { pageToken: start, pageSize: '2', fields }))).body;
    expect(first.changes).toEqual([
      { removed: false, fileId: edited, file: { name: 'b2', trashed: false } },
      { removed: false, fileId: kept, file: { name: 'a', trashed: true } },
    ]);
    const second = (await ask(asPath('/changes', { pageToken: first.nextPageToken, fields }))).body;
    expect(second.changes).toEqual([{ removed: true, fileId: deleted }]);
    const none = (await ask(asPath('/changes', { pageToken: second.newStartPageToken, fields }))).body;
    expect(none).toEqual({ newStartPageToken: second.newStartPageToken, changes: [] });
    google.expirePageTokens();
    expect((await ask(asPath('/changes', { pageToken: second.newStartPageToken }))).status).toBe(410);
    const fresh = (await ask('/changes/startPageToken')).body.startPageToken;
    expect((await ask(asPath('/changes', { pageToken: fresh }))).status).toBe(200);
  });

  it('has a log of its own for each shared drive', async () => {
    const { drive } = google;
    const ask = await signIn();
    const shared = drive.addSharedDrive('Team');
    const all = { includeItemsFromAllDrives: 'true', supportsAllDrives: 'true' };
    const ofDrive = { ...all, driveId: shared };
    const [start, own] = [
      (await ask(asPath('/changes/startPageToken', ofDrive))).body.startPageToken,
      (await ask('/changes/startPageToken')).body.startPageToken,
    ];
    const file = drive.addFile({ name: 'plan.md', parent: shared });
    expect((await ask(asPath('/changes', { ...ofDrive, pageToken: start }))).body.changes[0].fileId).toBe(file);
    expect((await ask(asPath('/changes', { ...all, pageToken: own }))).body.changes).toEqual([]);
    drive.leaveSharedDrive(shared);
    expect((await ask(asPath('/changes', { ...ofDrive, pageToken: start }))).status).toBe(404);
    expect((await ask(asPath('/changes', { ...all, pageToken: own }))).body.changes).toMatchObject([
      { changeType: 'drive', removed: true, driveId: shared },
    ]);
  });

  it('notifies a channel once, twice, late or not at all, until it is stopped', async () => {
    const { drive, channels } = google;
    const came: IncomingHttpHeaders[] = [];
    const receiver = createServer((request, response) => {
      came.push(request.headers);
      response.writeHead(came.length === 2 ? 503 : 204).end();
    });
    const address = `http://127.0.0.1:${await listen(receiver)}/notify`;
    try {
      const ask = await signIn();
      const token = (await ask('/changes/startPageToken')).body.startPageToken;
      const watch = (body: object) =>
        ask(`/changes/watch?pageToken=${token}`, {
          ...{ method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
        });
      const opened = await watch({ id: 'c1', type: 'web_hook', address, token: 'secret' });
      expect(opened.body).toMatchObject({ kind: 'api#channel', id: 'c1', token: 'secret' });
      expect((await watch({ id: 'c1', type: 'web_hook', address })).status).toBe(400);
      expect((await watch({ id: 'c2', type: 'web_hook', address: 'http://example.com/' })).status).toBe(400);
      await channels.settled();
      const file = drive.addFile({ name: 'a' });
      await channels.settled();
      // Again after the 503.
      expect(came.map((headers) => [headers['x-goog-resource-state'], headers['x-goog-message-number']])).toEqual([
        ['sync', '1'],
        ['change', '2'],
        ['change', '2'],
      ]);
      expect(came[1]).toMatchObject({ 'x-goog-channel-token': 'secret', 'x-goog-channel-id': 'c1' });
      for (const [delivery, more] of [
        ['twice', 2],
        ['lost', 0],
        ['late', 0],
      ] as const) {
        const before = came.length;
        channels.delivery = delivery;
        drive.edit(file, delivery);
        await channels.settled();
        expect({ delivery, more: came.length - before }).toEqual({ delivery, more });
      }
      channels.release();
      await channels.settled();
      expect(came).toHaveLength(6);
      channels.delivery = 'once';
      const { id, resourceId } = opened.body;
      const stopped = await ask('/channels/stop', {
        ...{ method: 'POST', body: JSON.stringify({ id, resourceId }) },
        headers: { 'content-type': 'application/json' },
      });
      expect(stopped.status).toBe(204);
      drive.edit(file, 'again');
      await channels.settled();
      expect(came).toHaveLength(6);
    } finally {
      const closed = once(receiver, 'close');
      receiver.close();
      receiver.closeAllConnections();
      await closed;
    }
  });
});
