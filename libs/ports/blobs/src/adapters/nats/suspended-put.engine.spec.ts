import { randomBytes } from 'node:crypto';
import { systemClock } from '#platform/kernel';
import { type NatsRecord, openRecordStream, type RecordStream } from '#platform/nats';
import { until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import { natsSuite } from '../../../../../platform/nats/src/testing/nats-suite.ts';
import { BlobPutInterruptedError } from '../../port.ts';
import { NatsBlobStore } from './nats-blob-store.ts';

/** Puts of a process that is suspended for more than a day, while others go on and collect garbage. Each place is tried. */

const DAY_MS = 25 * 3_600_000;

const nats = natsSuite();
/** As if the server's clock showed the simulated time, too. */
let records: RecordStream;
let days: number;
const clock = { now: () => systemClock.now() + days * DAY_MS };
beforeEach(async () => {
  records = aged(await openRecordStream({ connection: nats.connection, name: nats.bucket }));
  days = 0;
});

const NOTHING = async () => undefined;

function aged(stream: RecordStream): RecordStream {
  const written = new Map<number, number>();
  const note = <T extends number | null>(seq: T): T => {
    if (seq !== null) written.set(seq, days);
    return seq;
  };
  const withTime = (record: NatsRecord | null) => {
    if (record === null) return null;
    const { subject, seq, data, time } = record;
    return { subject, seq, data, time: new Date(time.getTime() + (written.get(seq) ?? 0) * DAY_MS) };
  };
  return {
    ...watched(stream, NOTHING),
    last: async (subject) => withTime(await stream.last(subject)),
    next: async (subject, after) => withTime(await stream.next(subject, after)),
    write: async (subject, data) => note(await stream.write(subject, data)),
    replace: async (subject, data, seq) => note(await stream.replace(subject, data, seq)),
  };
}

/** Calls `meanwhile` before the request with this number. */
function suspendedAt(place: number, meanwhile: () => Promise<void>): RecordStream {
  let requests = 0;
  return watched(records, async () => {
    requests += 1;
    if (requests === place) await meanwhile();
  });
}

function watched(stream: RecordStream, before: () => Promise<void>): RecordStream {
  const after =
    <Args extends unknown[], T>(request: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      await before();
      return request(...args);
    };
  return {
    name: stream.name,
    maxRecordBytes: stream.maxRecordBytes,
    last: after((subject: string) => stream.last(subject)),
    next: after((subject: string, seq: number) => stream.next(subject, seq)),
    at: after((seq: number) => stream.at(seq)),
    subjects: (filter) => stream.subjects(filter),
    counts: (filter) => stream.counts(filter),
    write: after((subject: string, data: Uint8Array) => stream.write(subject, data)),
    replace: after((subject: string, data: Uint8Array, seq: number) => stream.replace(subject, data, seq)),
    erase: after((seq: number) => stream.erase(seq)),
    drop: after((seq: number) => stream.drop(seq)),
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
    let isSuspended = true;
    for (let place = 1; isSuspended; place += 1) {
      days = 0;
      isSuspended = false;
      const key = `org/doc${place}/text`;
      const meanwhile = async () => {
        days = 1;
        isSuspended = true;
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

  /** Stores by others of the same content under the same key, before the put that is suspended and while it is. */
  const STORES: readonly [string, { before: boolean; meanwhile: boolean }][] = [
    ['before it', { before: true, meanwhile: false }],
    ['while it is suspended', { before: false, meanwhile: true }],
    ['before it and while it is suspended', { before: true, meanwhile: true }],
  ];
  describe.each(STORES)('and the same content was stored %s', (_stores, stores) => {
    test.each(LENGTHS)('a put of %i bytes leaves it, whether it resolves or rejects', async (length) => {
      const bytes = randomBytes(length);
      const next = new NatsBlobStore(records, { clock });
      let isSuspended = true;
      for (let place = 1; isSuspended; place += 1) {
        days = 0;
        isSuspended = false;
        const key = `org/doc${place}/text`;
        const meanwhile = async () => {
          days = 1;
          isSuspended = true;
          if (stores.meanwhile) await next.put(key, bytes);
          await next.removeInterrupted(new AbortController().signal);
        };
        if (stores.before) await next.put(key, bytes);
        const store = new NatsBlobStore(suspendedAt(place, meanwhile), { clock: ofPut });
        await store.put(key, inPieces(bytes)).catch((error: unknown) => {
          expect(error).toBeInstanceOf(BlobPutInterruptedError);
        });
        expect([place, Buffer.compare((await next.get(key)) ?? Buffer.of(), bytes)]).toEqual([place, 0]);
        days = 2;
        await next.removeInterrupted(new AbortController().signal);
        expect([place, Buffer.compare((await next.get(key)) ?? Buffer.of(), bytes)]).toEqual([place, 0]);
      }
    });
  });
});

test('a put that the garbage collection of the same moment has listed rejects; repeated, it stays', async () => {
  const bytes = randomBytes(100);
  const key = 'org/doc/text';
  const [listed, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const collecting: RecordStream = {
    ...watched(records, NOTHING),
    subjects: async function* (filter) {
      const all = await Array.fromAsync(records.subjects(filter));
      listed.resolve();
      await goesOn.promise;
      yield* all;
    },
  };
  let collection: Promise<void> | undefined;
  async function* source(): AsyncGenerator<Uint8Array> {
    await until(() => records.last(`${nats.bucket}.k.org.doc.text`));
    days = 1;
    collection = new NatsBlobStore(collecting, { clock }).removeInterrupted(new AbortController().signal);
    await listed.promise;
    yield bytes;
  }
  const store = new NatsBlobStore(records, { clock });
  await expect(store.put(key, source())).rejects.toThrow(BlobPutInterruptedError);
  await store.put(key, bytes);
  goesOn.resolve();
  await collection;
  expect(Buffer.from((await store.get(key)) ?? Buffer.of())).toEqual(bytes);
});
