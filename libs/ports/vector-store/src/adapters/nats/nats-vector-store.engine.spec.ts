import { randomBytes, randomInt } from 'node:crypto';
import { contentHash } from '#platform/kernel';
import { connectNats, openRecordStream, type RecordStream } from '#platform/nats';
import { natsSuite } from '../../../../../platform/nats/src/testing/nats-suite.ts';
import { openNatsVectorStore } from '../../index.ts';
import { vectorStoreContract } from '../../vector-store.contract.ts';
import { NatsVectorStore } from './nats-vector-store.ts';

const key = (text: string) => contentHash(text);
const VECTOR_BYTES = 388;

describe('NatsVectorStore', () => {
  const nats = natsSuite();
  let records: RecordStream;
  beforeEach(async () => {
    records = await openRecordStream({ connection: nats.connection, name: nats.bucket });
  });

  async function subjects(): Promise<string[]> {
    const found: string[] = [];
    for await (const subject of records.subjects('>')) found.push(subject);
    return found;
  }

  describe('with few owners per vector', () => {
    vectorStoreContract(() => openNatsVectorStore(nats.options));
  });

  describe('with more owners than a vector record lists', () => {
    vectorStoreContract(async () => new NatsVectorStore(records, 1));
  });

  it('keeps a vector with many owners until the last one releases it', async () => {
    const cache = await openNatsVectorStore(nats.options);
    const owners = Array.from({ length: 200 }, (_, i) => `owner ${i}`);
    await Promise.all(owners.map((owner) => cache.put(owner, [{ key: key('thanks'), vector: Uint8Array.of(1) }])));
    for (const owner of owners.slice(1)) await cache.release(owner);
    expect(await cache.get([key('thanks')])).toEqual([Uint8Array.of(1)]);
    await cache.release('owner 0');
    expect(await cache.get([key('thanks')])).toEqual([null]);
    await cache.close();
    expect(await subjects()).toEqual([]);
  });

  it('keeps used vectors and removes unused ones under concurrent put, claim and release', async () => {
    const shared = ['1', '2', '3'].map(key);
    const worker = async (owner: string) => {
      const other = await connectNats({ url: nats.server.url, name: owner });
      const cache = new NatsVectorStore(await openRecordStream({ connection: other, name: nats.bucket }), 2);
      for (let round = 0; round < 25; round++) {
        const mine = shared.filter(() => randomInt(2) === 0);
        const missing = await cache.claim(owner, mine);
        await cache.put(
          owner,
          missing.map((each) => ({ key: each, vector: Uint8Array.of(7) })),
        );
        expect((await cache.get(mine)).every((found) => found !== null)).toBe(true);
        await cache.release(owner, randomInt(3) === 0 ? mine : mine.slice(1));
        expect((await cache.get(mine.slice(1))).every((found) => found !== null)).toBe(true);
      }
      await cache.release(owner);
      await cache.close();
      await other.close();
    };
    await Promise.all(Array.from({ length: 6 }, (_, i) => worker(`owner ${i}`)));
    expect(await subjects()).toEqual([]);
  });

  function withChanges(changes: Partial<RecordStream>): RecordStream {
    return {
      name: records.name,
      maxRecordBytes: records.maxRecordBytes,
      last: (subject) => records.last(subject),
      next: (subject, after) => records.next(subject, after),
      at: (seq) => records.at(seq),
      write: (...args) => records.write(...args),
      replace: (...args) => records.replace(...args),
      erase: (seq) => records.erase(seq),
      drop: (seq) => records.drop(seq),
      subjects: (filter) => records.subjects(filter),
      counts: (filter) => records.counts(filter),
      ...changes,
    };
  }

  it('removes the vector if its last two owners release it concurrently', async () => {
    const cache = new NatsVectorStore(records, 1);
    for (const owner of ['listed', 'further']) await cache.put(owner, [{ key: key('x'), vector: Uint8Array.of(1) }]);
    let hasLooked = false;
    const slow = withChanges({
      last: async (subject) => {
        const found = await records.last(subject);
        if (subject.endsWith('.*') && !hasLooked) {
          hasLooked = true;
          await cache.release('further');
        }
        return found;
      },
    });
    const other = new NatsVectorStore(slow, 1);
    await other.release('listed');
    await Promise.all([cache.close(), other.close()]);
    expect(hasLooked).toBe(true);
    expect(await subjects()).toEqual([]);
  });

  it('keeps a vector that another owner claims while its last one releases it', async () => {
    const cache = new NatsVectorStore(records, 1);
    const one = { key: key('x'), vector: Uint8Array.of(1) };
    for (const owner of ['listed', 'further']) await cache.put(owner, [one]);
    await cache.release('further');
    let hasLooked = false;
    const slow = withChanges({
      last: async (subject) => {
        const found = await records.last(subject);
        if (subject.endsWith('.*') && !hasLooked) {
          hasLooked = true;
          expect(await cache.claim('new', [one.key])).toEqual([]);
        }
        return found;
      },
    });
    await new NatsVectorStore(slow, 1).release('listed');
    expect(hasLooked).toBe(true);
    expect(await cache.get([one.key])).toEqual([one.vector]);
  });

  /** Simulates a process that ends after so many changes of the stream: all later ones fail. */
  function endingAfter(changes: number): { readonly cache: NatsVectorStore; readonly hasEnded: () => boolean } {
    let left = changes;
    const orEnd = async <T>(change: () => Promise<T>): Promise<T> => {
      if (--left < 0) throw new Error('ended');
      return change();
    };
    const ending = withChanges({
      write: (...args) => orEnd(() => records.write(...args)),
      replace: (...args) => orEnd(() => records.replace(...args)),
      erase: (...args) => orEnd(() => records.erase(...args)),
      drop: (...args) => orEnd(() => records.drop(...args)),
    });
    return { cache: new NatsVectorStore(ending, 1), hasEnded: () => left < 0 };
  }

  it('a repeated release finishes what an ended process had begun, for every point of its end', async () => {
    const cache = new NatsVectorStore(records, 1);
    const one = { key: key('one'), vector: Uint8Array.of(1) };
    const two = { key: key('two'), vector: Uint8Array.of(2) };
    for (let changes = 0, isThrough = false; !isThrough; changes++) {
      await cache.put('remains', [one]);
      const { cache: ending, hasEnded } = endingAfter(changes);
      const life = async () => {
        await ending.put('ends', [one, two]);
        await ending.claim('ends', [one.key, two.key]);
        await ending.release('ends', [two.key]);
        await ending.release('ends');
      };
      await life().catch(() => undefined);
      await ending.close();
      isThrough = !hasEnded();
      await cache.release('ends');
      expect(await cache.get([one.key, two.key])).toEqual([one.vector, null]);
      await cache.release('remains');
      await cache.close();
      expect(await subjects()).toEqual([]);
    }
  });

  it('leaves no released vector in the files of the server, also after changes of its owners', async () => {
    const cache = await openNatsVectorStore(nats.options);
    const vector = randomBytes(VECTOR_BYTES);
    await cache.put('remains', [{ key: key('other'), vector: randomBytes(VECTOR_BYTES) }]);
    const owners = Array.from({ length: 40 }, (_, i) => `owner ${i}`);
    for (const owner of owners) await cache.put(owner, [{ key: key('text'), vector }]);
    expect(await nats.isOnDisk(vector)).toBe(true);
    for (const owner of owners) await cache.release(owner);
    await cache.close();
    expect(await nats.isOnDisk(vector)).toBe(false);
  });
});
