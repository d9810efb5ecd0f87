import { EventStoreDbServer } from './support/eventstoredb/server.ts';
import { eventually, Mneme } from './support/mneme.ts';

/** EventStoreDB freezes, stops and comes back while a server with the other engines embedded works on it. */

let database: EventStoreDbServer;
let mneme: Mneme;

beforeAll(async () => {
  database = await EventStoreDbServer.start({ freezable: true });
  const separate = { MNEME_NATS_URL: undefined, MNEME_OPENSEARCH_URL: undefined };
  mneme = await Mneme.start({
    env: { MNEME_EVENTSTORE_URL: database.url, MNEME_LOG_LEVEL: 'info', ...separate },
  });
});
afterAll(async () => {
  database.thaw();
  await mneme.stop();
  await database.stop();
});

const add = (content: string) => mneme.post('/v3/documents', { content, containerTag: 'zoo' });
const listed = (fields: object = {}) =>
  mneme.post<{ pagination: { totalItems: number } }>('/v3/documents/list', { containerTags: ['zoo'], ...fields });

async function timed<T>(work: Promise<T>): Promise<T & { readonly ms: number }> {
  const begun = performance.now();
  const result = await work;
  return { ...result, ms: performance.now() - begun };
}

/** Warnings and errors, and what is said about the event log. */
function lines(): string[] {
  return mneme.output
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    .filter(({ level, msg }) => level > 30 || /^The event log/.test(msg))
    .map(({ msg }) => msg);
}

const LOST = expect.stringMatching(/^The event log at esdb:\/\/127\.0\.0\.1:\d+ is lost: ./);
const BACK = expect.stringMatching(/^The event log at esdb:\/\/127\.0\.0\.1:\d+ is back after [\d.]+ s$/);

test('what needs only the views goes on, the rest is answered with 503, later requests soon', async () => {
  await mneme.addAndWait('A wombat sleeps in its tunnel.', { containerTag: 'zoo' });
  database.freeze();
  const adding = timed(add('A quokka smiles.'));
  const [list, profile, search, memories, processing] = await Promise.all([
    listed(),
    mneme.post<{ profile: { dynamic: string[] } }>('/v4/profile', { containerTag: 'zoo' }),
    mneme.post<{ total: number }>('/v3/search', { q: 'wombat', containerTags: ['zoo'] }),
    mneme.post<{ total: number }>('/v4/search', { q: 'wombat', containerTag: 'zoo' }),
    mneme.get<{ totalCount: number }>('/v3/documents/processing'),
  ]);
  expect([list, profile, search, memories, processing].map(({ status }) => status)).toEqual(Array(5).fill(200));
  expect(list.body.pagination.totalItems).toBe(1);
  expect(profile.body.profile.dynamic).toEqual(['A wombat sleeps in its tunnel.']);
  expect([search.body.total, memories.body.total]).toEqual([1, 1]);

  const first = await adding;
  expect([first.status, first.body.code]).toEqual([503, 'unavailable']);
  expect(Number(first.headers.get('retry-after'))).toBeGreaterThan(0);
  const later = await Promise.all([
    timed(add('A bilby digs.')),
    timed(mneme.request('DELETE', '/v3/documents/unknown')),
    timed(listed({ includeContent: true })),
    timed(mneme.request('DELETE', '/v3/documents/bulk', { containerTags: ['zoo'] })),
  ]);
  expect(later.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
  for (const { ms } of later) expect(ms).toBeLessThan(first.ms / 3);
  expect((await listed()).status).toBe(200);
  expect((await mneme.get('/v3/health')).body).toMatchObject({ status: 'degraded', unreachable: ['log'] });

  database.thaw();
  const { body } = await eventually(async () => {
    const answer = await add('A numbat eats termites.');
    return answer.status === 200 ? answer : null;
  });
  expect(await mneme.settled(body.id as string)).toMatchObject({ status: 'done' });
  await eventually(async () => ((await mneme.get('/v3/health')).body.status === 'ok' ? true : null));
  await eventually(async () => (lines().length > 1 ? true : null));
  expect(lines()).toEqual([LOST, BACK]);
}, 120_000);

test('a server that stops and starts again: requests wait, and two lines tell it', async () => {
  await database.stop();
  const adding = add('A potoroo hops.');
  await eventually(async () => (lines().length > 2 ? true : null));
  await database.start();
  const { status, body } = await adding;
  expect(status).toBe(200);
  expect(await mneme.settled(body.id as string)).toMatchObject({ status: 'done' });
  await eventually(async () => (lines().length > 3 ? true : null));
  expect(lines()).toEqual([LOST, BACK, LOST, BACK]);
}, 60_000);
