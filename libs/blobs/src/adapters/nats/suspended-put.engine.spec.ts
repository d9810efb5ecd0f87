import { randomBytes } from 'node:crypto';
import { systemClock } from '#kernel';
import { openRecordStream, type RecordStream } from '#nats';
import { natsSuite } from '../../../../nats/src/testing/nats-suite.ts';
import { BlobPutInterruptedError } from '../../port.ts';
import { NatsBlobStore } from './nats-blob-store.ts';

/** Puts of a process that is suspended for more than a day, while others go on and collect garbage. Each place is tried. */

const DAY_MS = 25 * 3_600_000;
/** Above the number of requests of a put. */
const PLACES = 20;

const nats = natsSuite();
let records: RecordStream;
let days: number;
const clock = { now: () => systemClock.now() + days * DAY_MS };
beforeEach(async () => {
  records = await openRecordStream({ connection: nats.connection, name: nats.bucket });
  days = 0;
});

/** Calls `meanwhile` before the request with this number. */
function suspendedAt(place: number, meanwhile: () => Promise<void>): RecordStream {
  let requests = 0;
  const suspended =
    <Args extends unknown[], T>(request: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      requests += 1;
      if (requests === place) await meanwhile();
      return request(...args);
    };
  return {
    name: records.name,
    maxRecordBytes: records.maxRecordBytes,
    last: suspended((subject: string) => records.last(subject)),
    next: suspended((subject: string, after: number) => records.next(subject, after)),
    at: suspended((seq: number) => records.at(seq)),
    subjects: (filter) => records.subjects(filter),
    counts: (filter) => records.counts(filter),
    write: suspended((subject: string, data: Uint8Array) => records.write(subject, data)),
    replace: suspended((subject: string, data: Uint8Array, seq: number) => records.replace(subject, data, seq)),
    erase: suspended((seq: number) => records.erase(seq)),
    drop: suspended((seq: number) => records.drop(seq)),
  };
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += 400_000) yield bytes.subarray(from, from + 400_000);
}

const LENGTHS = [100, 1_300_000];
const CLOCKS: [string, typeof clock][] = [
  ['its clock shows the time', clock],
  ['its clock has stopped with it', systemClock],
];

describe.each(CLOCKS)('when %s', (_name, ofPut) => {
  test.each(LENGTHS)('a put of %i bytes that resolves has stored them; repeated, it does', async (length) => {
    const bytes = randomBytes(length);
    const next = new NatsBlobStore(records, { clock });
    let rejected = 0;
    for (let place = 1; place <= PLACES; place += 1) {
      days = 0;
      const key = `org/doc${place}/text`;
      const meanwhile = async () => {
        days = 1;
        await next.removeInterrupted(new AbortController().signal);
      };
      const put = () => new NatsBlobStore(suspendedAt(place, meanwhile), { clock: ofPut }).put(key, inPieces(bytes));
      const error = await put().then(
        () => null,
        (reason: unknown) => reason,
      );
      if (error !== null) {
        rejected += 1;
        expect(error).toBeInstanceOf(BlobPutInterruptedError);
        await next.put(key, bytes);
      }
      expect(Buffer.compare((await next.get(key)) ?? Buffer.of(), bytes)).toBe(0);
    }
    expect(rejected).toBeGreaterThan(0);
  });
});

test('the garbage collection of the same moment removes nothing of a put that resolves', async () => {
  const bytes = randomBytes(100);
  const key = 'org/doc/text';
  const [listed, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const collecting: RecordStream = {
    ...suspendedAt(Number.POSITIVE_INFINITY, async () => undefined),
    subjects: async function* (filter) {
      const all = await Array.fromAsync(records.subjects(filter));
      listed.resolve();
      await ended.promise;
      yield* all;
    },
  };
  let collection: Promise<void> | undefined;
  async function* source(): AsyncGenerator<Uint8Array> {
    while ((await records.last(`${nats.bucket}.k.org.doc.text`)) === null);
    days = 1;
    collection = new NatsBlobStore(collecting, { clock }).removeInterrupted(new AbortController().signal);
    await listed.promise;
    yield bytes;
  }
  const store = new NatsBlobStore(records, { clock });
  await expect(store.put(key, source())).rejects.toThrow(BlobPutInterruptedError);
  ended.resolve();
  await collection;
  await store.put(key, bytes);
  expect(Buffer.from((await store.get(key)) ?? Buffer.of())).toEqual(bytes);
});
