import { createReadStream } from 'node:fs';
import { type Clock, hasCode, systemClock, translateFileError } from '#platform/kernel';
import { openRecordStream, type RecordStream } from '#platform/nats';
import { checkKey, checkPrefix } from '../../keys.ts';
import {
  BlobInterruptedError,
  BlobPutInterruptedError,
  BlobStorageFullError,
  type BlobStore,
  DamagedBlobError,
  type NatsBlobOptions,
} from '../../port.ts';
import { PutsInProgress } from '../../puts-in-progress.ts';
import { type BlobRecord, decodeBlob, partsOf, RECORD_BYTES } from './blob-record.ts';
import { eraseBlobs, eraseFolder } from './erase.ts';
import { listFolders } from './folders.ts';
import { removeInterrupted } from './interrupted.ts';
import { LONGEST_PUT_MS, OwnBlob } from './own-blob.ts';
import { joinParts, piecesOf } from './parts.ts';
import { SEAL_BYTES, seal, unseal } from './sealing.ts';
import { textOf, tokensOf } from './subjects.ts';
import { Uploads } from './uploads.ts';

const PART_BYTES = 512 * 1024;
/** Age at which what a call has left counts as interrupted, above any difference between clocks. Milliseconds. */
const INTERRUPTED_MS = 2 * LONGEST_PUT_MS;

interface NatsBlobStoreOptions {
  readonly clock?: Clock;
}

interface FoundBlob {
  readonly seq: number;
  readonly blob: BlobRecord;
  readonly secret: Uint8Array;
}

/**
 * Blobs on a JetStream stream:
 * - `<stream>.b.<organization>.<document>.<name>`: the blob, or, beyond 512 KiB, the list of its parts. Written by
 *   compare-and-set, so that each writer knows which record it replaced, and erases exactly that.
 * - `<stream>.c.<organization>.<document>.<upload>`: parts.
 * - `<stream>.u.<organization>.<document>.<upload>`: marker of an upload that runs or was interrupted.
 * - `<stream>.k.<organization>.<document>.<name>`: the secret with which a blob or its parts are sealed.
 *
 * What a put, a replacement or an erasure that was interrupted has left is found by the subjects alone, whatever is missing.
 * Removed content is overwritten in the server's files: a purge by subject would leave the bytes until the server compacts
 * its files. Of an erasure that the end of the server interrupts, sealed bytes may stay without their secret, or a secret
 * without what it has sealed.
 */
export class NatsBlobStore implements BlobStore {
  readonly #records: RecordStream;
  readonly #clock: Clock;
  readonly #uploads: Uploads;
  readonly #partBytes: number;
  readonly #puts = new PutsInProgress();

  /** @see openNatsBlobs */
  static async open({ bucket, mayCreate, ...options }: NatsBlobOptions): Promise<NatsBlobStore> {
    const creates = mayCreate ? 'at-open' : 'never';
    return new NatsBlobStore(await openRecordStream({ ...options, name: bucket, creates }));
  }

  constructor(records: RecordStream, { clock = systemClock }: NatsBlobStoreOptions = {}) {
    this.#records = records;
    this.#clock = clock;
    this.#uploads = new Uploads(records);
    this.#partBytes = Math.min(PART_BYTES, records.maxRecordBytes - RECORD_BYTES - SEAL_BYTES);
  }

  async put(key: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<{ readonly length: number }> {
    const [subject, secrets] = [this.#subjectOf('b', key), this.#subjectOf('k', key)];
    const parts = partsOf(bytes, this.#partBytes);
    const put = this.#puts.begin(key);
    const own = new OwnBlob(this.#records, { subject, secrets, clock: this.#clock });
    try {
      const first = (await parts.next()).value ?? new Uint8Array();
      const second = await parts.next();
      const { length, isStored } = second.done
        ? { length: first.length, isStored: await own.store({ bytes: seal(first, own.secret, 0) }) }
        : await this.#uploads.run(key, startingWith([first, second.value], parts), own);
      // Only deletions by this process are known here. After one by another process, the caller removes the blob.
      if (put.isDeleted) await eraseBlobs(this.#records, subject);
      else if (!isStored || !(await own.finish())) {
        throw new BlobPutInterruptedError(
          `The put of blob ${key} was interrupted for too long, or the blob was deleted`,
        );
      }
      return { length };
    } catch (error) {
      if (!hasCode(error, 'no_space')) throw error;
      throw new BlobStorageFullError(`No space for blob ${key}`, { cause: error });
    } finally {
      await own.discard();
      put.end();
      // Ends the caller's stream if it was not read to its end.
      await parts.return();
    }
  }

  putFile(key: string, path: string): Promise<{ readonly length: number }> {
    return this.put(key, bytesOf(path));
  }

  async get(key: string): Promise<Uint8Array | null> {
    for (let previous = 0; ; ) {
      const found = await this.#find(key);
      if (found === null) return null;
      const { seq, blob, secret } = found;
      const bytes =
        'bytes' in blob ? unseal(blob.bytes, secret, 0) : await joinParts(this.#records, blob.parts, secret);
      if (bytes !== null) return bytes;
      // A part is missing. The blob was replaced, or its erasure has begun, which erases the secret first; or it is damaged.
      if (seq === previous) throw damaged(key);
      previous = seq;
    }
  }

  async size(key: string): Promise<number | null> {
    const record = await this.#records.last(this.#subjectOf('b', key));
    if (record === null) return null;
    const blob = decodeBlob(record.data);
    return 'parts' in blob ? blob.parts.length : blob.bytes.length - SEAL_BYTES;
  }

  async stream(key: string, from = 0): Promise<AsyncIterable<Uint8Array> | null> {
    const found = await this.#find(key);
    if (found === null) return null;
    const { seq, blob, secret } = found;
    const errorFor = async () =>
      (await this.#find(key))?.seq === seq
        ? damaged(key)
        : new BlobInterruptedError(`Blob ${key} was replaced or deleted while it was read`);
    if ('bytes' in blob) return single(unseal(blob.bytes, secret, 0).subarray(from));
    return piecesOf(this.#records, blob.parts, secret, { from, errorFor });
  }

  async filePath(key: string): Promise<string | null> {
    checkKey(key);
    return null;
  }

  async delete(key: string): Promise<void> {
    this.#puts.delete(key);
    await eraseBlobs(this.#records, this.#subjectOf('b', key));
  }

  async deletePrefix(prefix: string): Promise<void> {
    checkPrefix(prefix);
    this.#puts.delete(prefix);
    await eraseFolder(this.#records, tokensOf(prefix.slice(0, -1)));
  }

  async removeInterrupted(signal: AbortSignal): Promise<void> {
    await removeInterrupted(this.#records, { before: this.#clock.now() - INTERRUPTED_MS, signal });
  }

  async *listFolders(): AsyncIterable<string> {
    for await (const { path } of listFolders(this.#records)) yield textOf(path.replace('.', '/'));
  }

  async *listFoldersWith(name: string): AsyncIterable<string> {
    const prefix = `${this.#records.name}.b.`;
    for await (const subject of this.#records.subjects(`${prefix}*.*.${tokensOf(name)}`)) {
      const [organization = '', document = ''] = subject.slice(prefix.length).split('.');
      yield `${textOf(organization)}/${textOf(document)}`;
    }
  }

  /** Returns null if there is no blob, or if it is being deleted. */
  async #find(key: string): Promise<FoundBlob | null> {
    const [subject, secrets] = [this.#subjectOf('b', key), this.#subjectOf('k', key)];
    for (let previous = 0; ; ) {
      const [record, newest] = await Promise.all([this.#records.last(subject), this.#records.last(secrets)]);
      if (record === null) return null;
      const { seq, data } = record;
      const blob = decodeBlob(data);
      const secret = newest?.seq === blob.secret ? newest.data : await this.#records.at(blob.secret);
      if (secret !== null) return { seq, blob, secret };
      // The secret is erased first. A blob that was replaced has another record.
      if (seq === previous) return null;
      previous = seq;
    }
  }

  #subjectOf(kind: 'b' | 'k', key: string): string {
    checkKey(key);
    return `${this.#records.name}.${kind}.${tokensOf(key)}`;
  }
}

const damaged = (key: string): DamagedBlobError =>
  new DamagedBlobError(`a part of the blob ${key} is missing, although the blob was not deleted`);

async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path);
  } catch (error) {
    throw translateFileError(error);
  }
}

async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* startingWith(
  first: readonly Uint8Array[],
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* first;
  yield* rest;
}
