import { randomBytes } from 'node:crypto';
import { contentHash } from '#platform/kernel';
import { openRecordStream, type RecordStream } from '#platform/nats';
import { eventually, until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import { natsSuite } from '../../../../../platform/nats/src/testing/nats-suite.ts';
import { streamKeysContract } from '../../stream-keys.contract.ts';
import type { StreamKeys } from '../../stream-keys.ts';
import { NatsStreamKeys } from './nats-stream-keys.ts';

const STREAM = 'document-one';
const FOLDER = `stream-keys.${contentHash(STREAM)}`;
const newId = () => randomBytes(16).toString('hex');

describe('NatsStreamKeys', () => {
  const nats = natsSuite();
  let keys: StreamKeys;
  let records: RecordStream;
  beforeEach(async () => {
    keys = await NatsStreamKeys.open({ ...nats.options, mayCreate: true });
    records = await openRecordStream({ connection: nats.connection, name: nats.bucket });
  });

  streamKeysContract(() => NatsStreamKeys.open({ ...nats.options, mayCreate: true }));

  const halvesOnDisk = async (secret: Uint8Array) => {
    const found = await Promise.all([secret.subarray(0, 16), secret.subarray(16)].map((half) => nats.isOnDisk(half)));
    return found.filter(Boolean).length;
  };

  /** Sequences of all records but those that name destroyed streams. */
  async function stored(): Promise<number[]> {
    const seqs: number[] = [];
    for await (const subject of records.subjects(`${nats.bucket}.>`)) {
      if (subject.startsWith(`${nats.bucket}.d.`)) continue;
      for (let one = await records.next(subject, 0); one !== null; one = await records.next(subject, one.seq)) {
        seqs.push(one.seq);
      }
    }
    return seqs;
  }

  it('overwrites a destroyed key in the files of the server', async () => {
    const secret = randomBytes(32);
    await keys.put(STREAM, newId(), secret);
    expect(await halvesOnDisk(secret)).toBe(2);
    expect(await nats.isOnDisk(secret)).toBe(false);
    await keys.destroy(STREAM);
    expect(await halvesOnDisk(secret)).toBe(0);
    expect(await stored()).toEqual([]);
  });

  it('leaves at most half of a key when the server was killed while it erased a record, whichever it was', async () => {
    for (let interrupted = 0; interrupted < 3; interrupted++) {
      const secret = randomBytes(32);
      await keys.put(STREAM, newId(), secret);
      const seqs = await stored();
      expect(seqs).toHaveLength(3);
      // What such a kill leaves: the record does not exist for any call, and its bytes are in the file.
      await records.drop(seqs[interrupted] as number);
      expect(await keys.among(new Set([STREAM]))).toEqual([STREAM]);
      await keys.destroy(STREAM);
      expect(await halvesOnDisk(secret)).toBeLessThan(2);
      expect(await stored()).toEqual([]);
    }
  });

  it('leaves at most half of any key after kills of the server while it destroys keys', async () => {
    const secrets = new Map(Array.from({ length: 60 }, (_, i) => [`document-${i}`, randomBytes(32)]));
    for (const [stream, secret] of secrets) await keys.put(stream, newId(), secret);
    const left = new Set(secrets.keys());
    const destroyAll = async () => {
      for (const stream of left) {
        // Repeated while the server is away.
        await eventually(() =>
          keys.destroy(stream).then(
            () => left.delete(stream),
            () => null,
          ),
        );
      }
    };
    const destroying = destroyAll();
    for (const rest of [45, 30, 15]) {
      await until(
        () => left.size,
        (size) => size <= rest,
      );
      await nats.server.kill();
      await nats.server.restart();
    }
    await destroying;
    // A server of version 2.9 can show erased records again after a kill; the sweep destroys their keys again.
    for (const stream of await keys.among(new Set(secrets.keys()))) await keys.destroy(stream);
    expect(await stored()).toEqual([]);
    for (const secret of secrets.values()) expect(await halvesOnDisk(secret)).toBeLessThan(2);
  });

  it('has no key of which a half is missing, and destroys the rest', async () => {
    const id = newId();
    await keys.put(STREAM, id, randomBytes(32));
    await records.erase((await records.last(`${nats.bucket}.c.${FOLDER}.${id}`))!.seq);
    expect(await keys.get(STREAM, id)).toBeNull();
    await keys.destroy(STREAM);
    expect(await stored()).toEqual([]);
  });

  it('does not create a stream that is missing', async () => {
    await nats.removeBucket();
    await expect(NatsStreamKeys.open({ ...nats.options, mayCreate: false })).rejects.toMatchObject({
      code: 'nats_stream_missing',
    });
  });
});
