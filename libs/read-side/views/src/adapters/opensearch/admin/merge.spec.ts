import { Aliases } from '../aliases.ts';
import { type StubAnswer, type StubRequest, stubServer } from '../testing/stub-server.ts';
import { mergeDaily } from '../write/daily-merge.ts';
import { removeDeletedRows } from './merge.ts';

let done: string[];
/** Writes that every copy has confirmed, by look; the last one is repeated. */
let confirmed: number[];
/** Copies of the units. */
let copies: number;
/** Copies that fail to merge. */
let failing: number;
/** The record of the last daily merge. */
let record: object | null;

const LAST_WRITE = 203;
const INDICES = ['v-documents', 'v-units', 'v-meta', 'v-model-shelves'];

/** Answers as OpenSearch does for views with a read model, and records the calls that change something. */
function answerTo({ method, path, text }: StubRequest): StubAnswer {
  if (!path.startsWith('/v-meta/_doc/')) return { body: answerAbout(path) };
  if (method === 'PUT') record = JSON.parse(text) as object;
  const found = { _seq_no: 0, _primary_term: 1, ...(record && { found: true, _source: record }) };
  return record === null ? { status: 404, body: { found: false } } : { body: found };
}

function answerAbout(path: string): object {
  if (path.startsWith('/_alias/')) return { 'v-model-shelves-1': { aliases: { 'v-model-shelves': {} } } };
  if (path.endsWith('/_settings')) {
    const settings = { settings: { 'index.number_of_shards': '1' } };
    return Object.fromEntries(INDICES.map((index) => [`${index}-1`, settings]));
  }
  if (path.endsWith('/_stats')) {
    const [at, ...later] = confirmed;
    if (later.length > 0) confirmed = later;
    const leases = [{ retaining_seq_no: LAST_WRITE + 1 }, { retaining_seq_no: at }];
    const copy = { seq_no: { max_seq_no: LAST_WRITE }, retention_leases: { leases } };
    const found = INDICES.map((index) => [index, index === 'v-units' ? copies : 1] as const);
    return {
      indices: Object.fromEntries(
        found.flatMap(([index, count]) =>
          count === 0 ? [] : [[`${index}-1`, { shards: { 0: Array.from({ length: count }, () => copy) } }]],
        ),
      ),
    };
  }
  done.push(path);
  return { _shards: { total: 2, successful: 1, failed: path.endsWith('/_forcemerge') ? failing : 0 } };
}

const server = stubServer(answerTo);
beforeEach(() => {
  [done, confirmed, copies, failing, record] = [[], [LAST_WRITE + 1], 2, 0, null];
});

const aliases = new Aliases('v');
const options = { signal: new AbortController().signal, lookEveryMs: 1, patienceMs: 100 };
const remove = () => removeDeletedRows(server.connection, aliases, options);

it('when every copy has confirmed the deletions, all indices are merged, and then no old file is in use', async () => {
  confirmed = [0, 0, LAST_WRITE, LAST_WRITE + 1];
  expect(await remove()).toBe(true);
  const all = INDICES.join();
  expect(done).toEqual([
    ...[`/${all}/_flush`, `/${all}/_forcemerge`, `/${all}/_flush`],
    ...['v-units', 'v-documents', 'v-meta', 'v-model-shelves'].map((index) => `/${index}/_refresh`),
  ]);
});

it('nothing is merged while a copy may still need deleted rows', async () => {
  confirmed = [LAST_WRITE];
  expect(await remove()).toBe(false);
  expect(done).toEqual([]);
});

it('nothing is merged while a shard has no copy', async () => {
  copies = 0;
  expect(await remove()).toBe(false);
  expect(done).toEqual([]);
});

it('a copy that fails to merge is a transient error', async () => {
  failing = 1;
  await expect(remove()).rejects.toMatchObject({ kind: 'transient', code: 'views_unreachable' });
});

describe('daily', () => {
  const HOUR_MS = 3_600_000;
  let hour: number;
  const now = () => Date.UTC(2026, 0, 1) + hour * HOUR_MS;
  /** @param fencingToken grows with every process that takes over. Returns whether deleted rows were removed. */
  const merge = async (fencingToken: number) => {
    done = [];
    await mergeDaily(server.connection, aliases, { ...options, now, fencingToken, holder: `process ${fencingToken}` });
    return done.some((path) => path.endsWith('/_forcemerge'));
  };

  it('deleted rows are removed once in 24 hours, by whichever process', async () => {
    const merged: number[] = [];
    for (hour = 0; hour < 60; hour += 1) if (await merge(hour < 30 ? 1 : 2)) merged.push(hour);
    expect(merged).toEqual([0, 24, 48]);
  });

  it('what could not be done is tried again at the next look', async () => {
    [hour, copies] = [0, 0];
    expect(await merge(1)).toBe(false);
    failing = 1;
    copies = 2;
    hour = 1;
    await expect(merge(1)).rejects.toMatchObject({ kind: 'transient' });
    failing = 0;
    hour = 2;
    expect(await merge(1)).toBe(true);
    hour = 25;
    expect(await merge(1)).toBe(false);
    hour = 26;
    expect(await merge(1)).toBe(true);
  });
});
