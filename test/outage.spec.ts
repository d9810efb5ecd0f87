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

const inPen = async () => {
  const [list, search] = await Promise.all([
    mneme.post<{ pagination: { totalItems: number } }>('/v3/documents/list', { containerTags: ['pen'] }),
    mneme.post<{ total: number }>('/v3/search', { q: 'heron', containerTags: ['pen'] }),
  ]);
  return [list.body.pagination.totalItems, search.body.total];
};
/** How many deletions of documents, and ends of bulk deletions, the log holds. */
const deletions = () =>
  ['DocumentDeleted', 'BulkDeletionFinished'].map((of) => database.log.all.filter(({ type }) => type === of).length);

/** Resolves when the database has stored the first deletion of a document and is frozen. */
function freezeInDeletion(): Promise<void> {
  const append = database.log.append.bind(database.log);
  return new Promise((resolve) => {
    database.log.append = (stream, events, expected) => {
      const result = append(stream, events, expected);
      if (events.some(({ type }) => type === 'DocumentDeleted')) {
        database.log.append = append;
        // What has arrived beside it is not stored.
        database.isFailing = true;
        database.freeze();
        resolve();
      }
      return result;
    };
  });
}

function thaw(): void {
  database.isFailing = false;
  database.thaw();
}

test('reads of the views go on, a bulk deletion ends after the outage, others get 503, later ones soon', async () => {
  await Promise.all([
    mneme.addAndWait('A wombat sleeps in its tunnel.', { containerTag: 'zoo' }),
    ...['grey', 'white', 'young'].map((kind) => mneme.addAndWait(`A ${kind} heron waits.`, { containerTag: 'pen' })),
  ]);
  expect(await inPen()).toEqual([3, 3]);
  const frozen = freezeInDeletion();
  const deleting = mneme.request('DELETE', '/v3/documents/bulk', { containerTags: ['pen'] });
  await frozen;
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

  expect(deletions()).toEqual([1, 0]);
  thaw();
  const { status, body: deleted } = await deleting;
  expect([status, deleted]).toEqual([200, { success: true, deletedCount: 3, containerTags: ['pen'] }]);
  expect(await inPen()).toEqual([0, 0]);
  expect(deletions()).toEqual([3, 1]);

  const { body } = await eventually(async () => {
    const answer = await add('A numbat eats termites.');
    return answer.status === 200 ? answer : null;
  });
  expect(await mneme.settled(body.id as string)).toMatchObject({ status: 'done' });
  await eventually(async () => ((await mneme.get('/v3/health')).body.status === 'ok' ? true : null));
  await eventually(async () => (lines().length > 1 ? true : null));
  expect(lines()).toEqual([LOST, BACK]);
});

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
});
