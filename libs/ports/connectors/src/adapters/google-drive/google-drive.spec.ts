import { loadConfig } from '#platform/config';
import { openGuardedFetch } from '#platform/fetch';
import type { Json, JsonObject, OrganizationId } from '#platform/kernel';
import { startGoogle } from '../../../../../../test/support/google/google.ts';
import type { Connector, Source, SourceItem } from '../../connector.ts';
import { googleDrive } from './google-drive.ts';

const CALLBACK = 'https://memory.example/v3/connections/auth/callback/google-drive';
const MARKDOWN = 'text/markdown';
const SHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const SLIDES = 'application/vnd.openxmlformats-officedocument.presentationml.presentation';

let google: Awaited<ReturnType<typeof startGoogle>>;
let connector: Connector;
let secrets: Map<string, string>;
const warnings: string[] = [];
const { signal } = new AbortController();

beforeEach(async () => {
  google = await startGoogle();
  google.allow(CALLBACK);
  warnings.length = 0;
  const { config } = loadConfig({
    ...{ MNEME_GOOGLE_CLIENT_ID: 'client-id', MNEME_GOOGLE_CLIENT_SECRET: 'client-secret' },
    ...{ MNEME_PUBLIC_URL: 'https://memory.example', MNEME_GOOGLE_URLS: `${google.issuer},${google.apiUrl}` },
  });
  connector = googleDrive({
    ...{ config, clock: Date, logger: { warn: (line: string) => void warnings.push(line) } },
    fetch: openGuardedFetch({ allow: [], loopback: true, proxy: null }),
  });
  secrets = new Map();
});
afterEach(() => google.close());

/** Goes to Google and back. */
async function permit(verifier = 'v'.repeat(43)) {
  const departure = { state: 's', verifier, redirectUri: CALLBACK };
  const address = await connector.authorization?.addressOf(departure);
  const { headers } = await fetch(address ?? '', { redirect: 'manual' });
  const back = new URL(headers.get('location') ?? '');
  expect(back.searchParams.get('state')).toBe('s');
  return back.searchParams.get('code') ?? '';
}

async function connect(setup: JsonObject = { syncScope: 'full' }): Promise<Source> {
  if (secrets.size === 0) {
    const verifier = 'v'.repeat(43);
    const permission = await connector.authorization?.permissionOf({
      ...{ code: await permit(verifier), verifier, redirectUri: CALLBACK },
    });
    expect(permission?.account).toBe('alice@example.com');
    for (const [name, value] of Object.entries(permission?.secrets ?? {})) secrets.set(name, value);
  }
  return connector.open({
    ...{ connection: 'c1', organization: 'o1' as OrganizationId, setup },
    secrets: {
      get: async (name) => secrets.get(name) ?? null,
      put: async (name, value) => void secrets.set(name, value),
    },
  });
}

async function choose(...ids: string[]): Promise<JsonObject> {
  const chosen = await (await connect()).resources?.choose(ids, signal);
  if (chosen?.ok !== true) throw new Error(chosen?.error);
  return chosen.value;
}

async function list(source: Source, cursor: Json | null = null) {
  const items: SourceItem[] = [];
  const removed: string[] = [];
  for await (const page of source.list(cursor, signal)) {
    items.push(...page.items);
    removed.push(...page.removed);
    if (page.ends !== null) return { items, removed, paths: items.map(({ path }) => path).sort(), ...page.ends };
  }
  throw new Error('The listing has no end');
}

const read = (source: Source, item: SourceItem) =>
  source.fetch(
    item,
    async (content) => {
      const parts: Uint8Array[] = [];
      if ('body' in content) for await (const part of content.body) parts.push(part);
      return {
        type: content.type,
        name: 'name' in content ? content.name : null,
        text: Buffer.concat(parts).toString(),
      };
    },
    signal,
  );

describe('a complete listing', () => {
  test('brings what the account sees, with paths, and leaves out what has no content', async () => {
    const { drive } = google;
    const shared = drive.addSharedDrive('Team');
    const farm = drive.addFolder({ name: 'Farm' });
    const below = drive.addFolder({ name: 'a/b', parent: farm });
    drive.addFile({ name: 'one.txt', content: 'one' });
    drive.addFile({ name: 'two.pdf', content: 'two', mimeType: 'application/pdf', parent: below });
    drive.addFile({ name: 'three.txt', content: 'three', parent: shared });
    drive.addFile({ name: 'four.txt', content: 'four', owner: 'bob@example.com' });
    drive.addDocument({ name: 'Plan', kind: 'document', exports: { [MARKDOWN]: '# Plan' }, parent: farm });
    drive.addDocument({ name: 'Form', kind: 'form', exports: {} });
    drive.trash(drive.addFile({ name: 'gone.txt', content: 'gone' }));
    const { paths, listing, removed } = await list(await connect());
    expect(paths).toEqual([
      '/My Drive/Farm/Plan',
      '/My Drive/Farm/a／b/two.pdf',
      '/My Drive/one.txt',
      '/Shared with me/four.txt',
      '/Team/three.txt',
    ]);
    expect([listing, removed]).toEqual(['complete', []]);
    expect(warnings).toEqual([]);
  });

  test('of a selection brings what was selected and everything below it, each once', async () => {
    const { drive } = google;
    const shared = drive.addSharedDrive('Team');
    const [farm, other] = [drive.addFolder({ name: 'Farm' }), drive.addFolder({ name: 'Other' })];
    const below = drive.addFolder({ name: 'Below', parent: farm });
    const inside = drive.addFile({ name: 'in.txt', content: 'in', parent: below });
    const single = drive.addFile({ name: 'single.txt', content: 'single', parent: other });
    drive.addFile({ name: 'out.txt', content: 'out', parent: other });
    drive.addFile({ name: 'team.txt', content: 'team', parent: drive.addFolder({ name: 'F', parent: shared }) });
    const source = await connect(await choose(farm, below, inside, single, shared));
    const { paths } = await list(source);
    expect(paths).toEqual([...['/My Drive/Farm/Below/in.txt', '/My Drive/Other/single.txt', '/Team/F/team.txt']]);
  });

  test('follows shortcuts once, also in a circle', async () => {
    const { drive } = google;
    const [farm, far] = [drive.addFolder({ name: 'Farm' }), drive.addFolder({ name: 'Far' })];
    const deep = drive.addFolder({ name: 'Deep', parent: far });
    drive.addFile({ name: 'deep.txt', content: 'deep', parent: deep });
    const near = drive.addFile({ name: 'near.txt', content: 'near', parent: farm });
    const file = drive.addFile({ name: 'file.txt', content: 'file' });
    drive.addShortcut({ name: 'To near', target: near, parent: farm });
    drive.addShortcut({ name: 'To far', target: far, parent: farm });
    drive.addShortcut({ name: 'To far again', target: far, parent: farm });
    drive.addShortcut({ name: 'To file', target: file, parent: farm });
    drive.addShortcut({ name: 'Back', target: farm, parent: deep });
    const source = await connect(await choose(farm));
    const { paths, cursor } = await list(source);
    expect(paths).toEqual([
      ...['/My Drive/Farm/To far/Deep/deep.txt', '/My Drive/Farm/To file', '/My Drive/Farm/near.txt'],
    ]);
    drive.edit(file, 'changed');
    drive.addFile({ name: 'new.txt', content: 'new', parent: deep });
    expect((await list(source, cursor)).paths).toEqual([
      ...['/My Drive/Farm/To far/Deep/new.txt', '/My Drive/Farm/To file'],
    ]);
  });

  test('of a selection that is gone as a whole is none', async () => {
    const { drive } = google;
    const [one, two] = [drive.addFolder({ name: 'One' }), drive.addFolder({ name: 'Two' })];
    drive.addFile({ name: 'a.txt', content: 'a', parent: one });
    const source = await connect(await choose(one, two));
    drive.delete(two);
    expect((await list(source)).paths).toEqual(['/My Drive/One/a.txt']);
    drive.trash(one);
    expect((await list(source)).paths).toEqual([]);
    drive.delete(one);
    await expect(list(source)).rejects.toMatchObject({ code: 'source_lost' });
  });
});

describe('changes', () => {
  test('bring edits, renames and new files, and name what left', async () => {
    const { drive } = google;
    const [farm, other] = [drive.addFolder({ name: 'Farm' }), drive.addFolder({ name: 'Other' })];
    const add = (name: string) => drive.addFile({ name, content: name, parent: farm });
    const [edited, renamed, left, trashed] = ['edited', 'renamed', 'left', 'trashed'].map(add) as [
      ...[string, string, string, string],
    ];
    const source = await connect(await choose(farm));
    const first = await list(source);
    const none = await list(source, first.cursor);
    expect([none.items, none.removed, none.listing]).toEqual([[], [], 'changes']);
    drive.edit(edited, 'another text');
    drive.rename(renamed, 'other name');
    drive.move(left, other);
    drive.trash(trashed);
    const added = add('added');
    drive.addFile({ name: 'elsewhere', content: 'x', parent: other });
    const { items, removed, listing, cursor } = await list(source, none.cursor);
    expect(listing).toBe('changes');
    expect(new Map(items.map(({ id, path }) => [id, path]))).toEqual(
      new Map([
        [edited, '/My Drive/Farm/edited'],
        [renamed, '/My Drive/Farm/other name'],
        [added, '/My Drive/Farm/added'],
      ]),
    );
    expect(removed).toEqual(expect.arrayContaining([left, trashed]));
    const versionOf = (id: string, all: readonly SourceItem[]) => all.find((one) => one.id === id)?.version;
    expect(versionOf(edited, items)).not.toBe(versionOf(edited, first.items));
    expect(versionOf(renamed, items)).toBe(versionOf(renamed, first.items));
    drive.move(left, farm);
    drive.untrash(trashed);
    expect((await list(source, cursor)).paths).toEqual(['/My Drive/Farm/left', '/My Drive/Farm/trashed']);
  });

  test('of folders, shared drives and shortcuts, and of what vanished, list everything anew', async () => {
    const { drive } = google;
    const [farm, other] = [drive.addFolder({ name: 'Farm' }), drive.addFolder({ name: 'Other' })];
    const below = drive.addFolder({ name: 'Below', parent: farm });
    drive.addFile({ name: 'a.txt', content: 'a', parent: below });
    drive.addFile({ name: 'b.txt', content: 'b', parent: other });
    const source = await connect(await choose(farm));
    let { cursor } = await list(source);
    const whenChanged = async (change: () => void) => {
      change();
      const listed = await list(source, cursor);
      cursor = listed.cursor;
      return [listed.listing, listed.paths];
    };
    expect(await whenChanged(() => drive.rename(below, 'New'))).toEqual(['complete', ['/My Drive/Farm/New/a.txt']]);
    expect(await whenChanged(() => drive.move(below, other))).toEqual(['complete', []]);
    expect(await whenChanged(() => drive.move(below, farm))).toEqual(['complete', ['/My Drive/Farm/New/a.txt']]);
    const target = drive.addFile({ name: 'far.txt', content: 'far', parent: other });
    const [, paths] = await whenChanged(() => drive.addShortcut({ name: 'Far', target, parent: farm }));
    expect(paths).toEqual(['/My Drive/Farm/Far', '/My Drive/Farm/New/a.txt']);
    expect((await whenChanged(() => drive.delete(target)))[0]).toBe('complete');
  });

  test('of shared drives come from their own logs', async () => {
    const { drive } = google;
    const shared = drive.addSharedDrive('Team');
    const file = drive.addFile({ name: 'a.txt', content: 'a', parent: shared });
    const source = await connect();
    const { cursor } = await list(source);
    drive.edit(file, 'changed');
    const changed = await list(source, cursor);
    expect([changed.listing, changed.paths]).toEqual(['changes', ['/Team/a.txt']]);
    drive.leaveSharedDrive(shared);
    const left = await list(source, changed.cursor);
    expect([left.listing, left.paths]).toEqual(['complete', []]);
  });

  test('whose page token has ended, or that belong to another selection, are a complete listing', async () => {
    const { drive } = google;
    const farm = drive.addFolder({ name: 'Farm' });
    drive.addFile({ name: 'a.txt', content: 'a', parent: farm });
    const source = await connect();
    const { cursor } = await list(source);
    google.faults.add({ on: /changes\?/, kind: 'pageTokenGone' });
    expect((await list(source, cursor)).listing).toBe('complete');
    google.expirePageTokens();
    expect((await list(source, cursor)).listing).toBe('complete');
    expect((await list(await connect(await choose(farm)), cursor)).listing).toBe('complete');
  });
});

describe('content', () => {
  test('comes as it is, and of documents of the editors in a form that can be read', async () => {
    const { drive } = google;
    drive.addFile({ name: 'a.pdf', content: 'pdf', mimeType: 'application/pdf' });
    drive.addFile({ name: 'b.xlsx', content: 'uploaded', mimeType: SHEET });
    drive.addDocument({ name: 'Doc', kind: 'document', exports: { [MARKDOWN]: '# Doc' } });
    drive.addDocument({ name: 'Sheet', kind: 'spreadsheet', exports: { [SHEET]: 'sheet' } });
    drive.addDocument({ name: 'Slides', kind: 'presentation', exports: { [SLIDES]: 'slides' } });
    const source = await connect();
    const { items } = await list(source);
    const contents = await Promise.all(items.map((item) => read(source, item)));
    expect(contents).toEqual(
      expect.arrayContaining([
        { type: 'pdf', name: 'a.pdf', text: 'pdf' },
        { type: null, name: 'b.xlsx', text: 'uploaded' },
        { type: 'google_doc', name: 'Doc.md', text: '# Doc' },
        { type: 'google_sheet', name: 'Sheet.xlsx', text: 'sheet' },
        { type: 'google_slide', name: 'Slides.pptx', text: 'slides' },
      ]),
    );
  });

  test('that is not given is a fault of the file alone', async () => {
    const { drive } = google;
    const [refused, large] = [
      drive.addFile({ name: 'a.txt', content: 'a' }),
      drive.addDocument({ name: 'Large', kind: 'document', exports: { [MARKDOWN]: 'x'.repeat(11 * 1024 * 1024) } }),
    ];
    drive.refuse(refused, 'cannotDownload');
    const source = await connect();
    const { items } = await list(source);
    for (const id of [refused, large]) {
      const item = items.find((one) => one.id === id) as SourceItem;
      await expect(read(source, item)).rejects.toMatchObject({ code: 'item_unreadable' });
    }
    const item = items[0] as SourceItem;
    drive.delete(item.id);
    await expect(read(source, item)).rejects.toMatchObject({ code: 'item_unreadable' });
  });
});

describe('permission', () => {
  test('is asked with a proof key, for reading alone, and without it there is none', async () => {
    const code = await permit();
    const asked = google.asked.find(({ path }) => path === '/o/oauth2/v2/auth');
    expect(asked?.query).toMatchObject({
      ...{ scope: 'https://www.googleapis.com/auth/drive.readonly', code_challenge_method: 'S256' },
      ...{ access_type: 'offline', prompt: 'consent' },
    });
    const wrong = { code, verifier: 'w'.repeat(43), redirectUri: CALLBACK };
    await expect(connector.authorization?.permissionOf(wrong)).rejects.toMatchObject({ code: 'source_lost' });
  });

  test('that ends in the middle of a listing is renewed', async () => {
    for (let at = 0; at < 5; at += 1) google.drive.addFile({ name: `${at}.txt`, content: `${at}` });
    const source = await connect();
    google.oauth.uses = 3;
    const { items } = await list(source);
    for (const item of items) await read(source, item);
    expect(items).toHaveLength(5);
    google.oauth.expireAccessTokens();
    expect((await list(source)).items).toHaveLength(5);
    expect(google.asked.filter(({ path }) => path === '/token').length).toBeGreaterThan(4);
  });

  test('that was taken back is told from an outage', async () => {
    const source = await connect();
    google.oauthFaults.add({ kind: 'unavailable' });
    await expect(list(source)).rejects.toMatchObject({ code: 'fetch_failed', isTemporary: true });
    expect((await list(source)).listing).toBe('complete');
    google.oauth.revokeGrants();
    await expect(list(source)).rejects.toMatchObject({ code: 'source_lost' });
  });

  test('is given back, with the channels', async () => {
    const source = await connect();
    await list(source);
    await source.revoke?.();
    expect(google.asked.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/drive/v3/channels/stop', '/revoke']),
    );
    await expect(list(await connect())).rejects.toMatchObject({ code: 'source_lost' });
    await source.revoke?.();
  });
});

test.each([
  ['rateLimitExceeded', { code: 'source_busy', retryAfter: null }],
  ['userRateLimitExceeded', { code: 'source_busy' }],
  ['tooManyRequests', { code: 'source_busy', retryAfter: 2000 }],
  ['backendError', { code: 'fetch_failed', isTemporary: true }],
  ['badGateway', { code: 'fetch_failed', isTemporary: true }],
  ['cut', { code: 'fetch_failed' }],
] as const)('the fault %s is what it is to the engine', async (kind, error) => {
  const source = await connect();
  google.faults.add({ on: /\/files\?/, kind, ...(kind === 'tooManyRequests' && { retryAfter: 2 }) });
  await expect(list(source)).rejects.toMatchObject(error);
});

test('notifications name the connection, come from channels that were opened here, and channels are renewed', async () => {
  const { drive, channels } = google;
  drive.addSharedDrive('Team');
  const source = await connect();
  const { cursor } = await list(source);
  expect(channels.opened).toHaveLength(2);
  await list(source, cursor);
  expect(channels.opened).toHaveLength(2);
  const opens = () => google.asked.filter(({ path }) => path.endsWith('/changes/watch'));
  const [opened] = opens();
  const token = String(opened?.body.token);
  expect(opened?.body.address).toBe('https://memory.example/v3/connections/notifications/google-drive');
  expect(token.length).toBeLessThanOrEqual(256);
  const told = (state: string, of = token) =>
    connector.notified?.({ 'x-goog-channel-token': of, 'x-goog-resource-state': state });
  expect(told('change')).toEqual({ organization: 'o1', connection: 'c1', hasChanged: true });
  expect(told('sync')?.hasChanged).toBe(false);
  expect(told('change', 'forged')).toBeNull();
  const kept = JSON.parse(secrets.get('channels') ?? '{}');
  for (const channel of Object.values(kept) as { until: number }[]) channel.until = Date.now() + 3_600_000;
  secrets.set('channels', JSON.stringify(kept));
  await list(source, cursor);
  expect(opens()).toHaveLength(4);
  expect(channels.opened).toHaveLength(2);
  google.faults.add({ on: /watch/, kind: 'backendError', times: 2 });
  secrets.delete('channels');
  expect((await list(source, cursor)).listing).toBe('changes');
  expect(warnings[0]).toContain('sends no notifications');
});

describe('resources', () => {
  const named = async (
    source: Source,
    request: { parent?: string; search?: string; page?: number; perPage?: number },
  ) => {
    const { parent = null, search = null, page = 1, perPage = 30 } = request;
    const found = await source.resources?.list({ parent, search, page, perPage }, signal);
    if (found?.ok !== true) return found?.error;
    return {
      names: found.value.resources.map(({ name }) => name),
      hasMore: found.value.hasMore,
      all: found.value.resources,
    };
  };

  test('are opened, searched and paged', async () => {
    const { drive } = google;
    const shared = drive.addSharedDrive('Team');
    const farm = drive.addFolder({ name: 'Farm' });
    for (const name of ['b.txt', 'a.txt', 'c.txt']) drive.addFile({ name, content: name, parent: farm });
    drive.addFile({ name: "it's.txt", content: 'x', parent: shared });
    drive.addFile({ name: 'theirs.txt', content: 'x', owner: 'bob@example.com' });
    const source = await connect(await choose(farm));
    expect(await named(source, {})).toMatchObject({ names: ['My Drive', 'Shared with me', 'Team'], hasMore: false });
    const top = await named(source, { parent: (await google.drive.file(farm)).parent ?? '' });
    expect(top).toMatchObject({ all: [{ id: farm, kind: 'folder', isSelected: true }] });
    expect(await named(source, { parent: farm, perPage: 2 })).toMatchObject({
      names: ['a.txt', 'b.txt'],
      hasMore: true,
    });
    expect(await named(source, { parent: farm, perPage: 2, page: 2 })).toMatchObject({
      names: ['c.txt'],
      hasMore: false,
    });
    expect(await named(source, { parent: farm, perPage: 2, page: 9 })).toMatchObject({ names: [], hasMore: false });
    expect(await named(source, { parent: shared })).toMatchObject({ names: ["it's.txt"] });
    expect(await named(source, { parent: 'shared-with-me' })).toMatchObject({ names: ['theirs.txt'] });
    expect(await named(source, { search: "it's" })).toMatchObject({ names: ["it's.txt"] });
    expect(await named(source, { parent: 'nowhere' })).toBe('There is no such folder.');
  });

  test('are chosen only if they are there', async () => {
    const source = await connect();
    expect(await source.resources?.choose(['nowhere'], signal)).toMatchObject({ ok: false });
    expect(connector.isChosen?.({ syncScope: 'selected' })).toBe(false);
    const shared = google.drive.addSharedDrive('Team');
    const setup = await choose(shared);
    expect(setup).toEqual({ syncScope: 'selected', chosen: [{ id: shared, name: 'Team', isFolder: true }] });
    expect(connector.isChosen?.(setup)).toBe(true);
    await expect(list(await connect({ syncScope: 'selected' }))).rejects.toMatchObject({ code: 'source_lost' });
  });
});
