import { createReadStream } from 'node:fs';
import { type Clock, hasCode, systemClock, translateFileError } from '#kernel';
import { openRecordStream, type RecordStream } from '#nats';
import { checkKey, checkPrefix } from '../../keys.ts';
import { BlobInterruptedError, BlobStorageFullError, type BlobStore, type NatsBlobOptions } from '../../port.ts';
import { PutsInProgress } from '../../puts-in-progress.ts';
import { type BlobRecord, decodeBlob, encodeBlob, type PartList, partsOf } from './blob-record.ts';
import { eraseBlob, MAX_REQUESTS } from './erase.ts';
import { textOf, tokensOf } from './subjects.ts';
import { Uploads } from './uploads.ts';

const PART_BYTES = 512 * 1024;
/** Age at which an upload counts as abandoned, above any difference between clocks. */
const ABANDONED_MS = 24 * 3_600_000;

/**
 * Blobs on a JetStream stream:
 * - `<stream>.b.<organization>.<document>.<name>`: the blob, or, beyond 512 KiB, the list of its parts. Written by
 *   compare-and-set, so that each writer knows which record it replaced, and erases exactly that.
 * - `<stream>.c.<organization>.<document>.<upload>`: parts.
 * - `<stream>.u.<organization>.<document>.<upload>`: marker of an upload that runs or was interrupted.
 *
 * Removed content is overwritten in the server's files: a purge by subject would leave the bytes until the server compacts
 * its files.
 */
export class NatsBlobStore implements BlobStore {
  readonly #records: RecordStream;
  readonly #uploads: Uploads;
  readonly #partBytes: number;
  readonly #puts = new PutsInProgress();

  /** @see openNatsBlobs */
  static async open(
    { bucket, mayCreate, ...options }: NatsBlobOptions,
    clock: Clock = systemClock,
  ): Promise<NatsBlobStore> {
    const creates = mayCreate ? 'at-open' : 'never';
    const store = new NatsBlobStore(await openRecordStream({ ...options, name: bucket, creates }));
    await store.#uploads.removeAbandoned(clock.now() - ABANDONED_MS);
    return store;
  }

  private constructor(records: RecordStream) {
    this.#records = records;
    this.#uploads = new Uploads(records);
    this.#partBytes = Math.min(PART_BYTES, records.maxRecordBytes - 1);
  }

  async put(key: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<{ readonly length: number }> {
    const subject = this.#subjectOf(key);
    const commit = (blob: BlobRecord) => this.#replace(subject, blob);
    const parts = partsOf(bytes, this.#partBytes);
    const put = this.#puts.begin(key);
    try {
      const first = (await parts.next()).value ?? new Uint8Array();
      const second = await parts.next();
      if (!second.done) {
        return { length: await this.#uploads.run(key, startingWith([first, second.value], parts), commit) };
      }
      await commit({ bytes: first });
      // Only deletions by this process are known here. After one by another process, the caller removes the blob.
      if (put.isDeleted) await this.#eraseAll(subject);
      return { length: first.length };
    } catch (error) {
      if (!hasCode(error, 'no_space')) throw error;
      throw new BlobStorageFullError(`No space for blob ${key}`, { cause: error });
    } finally {
      put.end();
      // Ends the caller's stream if it was not read to its end.
      await parts.return();
    }
  }

  putFile(key: string, path: string): Promise<{ readonly length: number }> {
    return this.put(key, bytesOf(path));
  }

  async get(key: string): Promise<Uint8Array | null> {
    const subject = this.#subjectOf(key);
    for (let previous = 0; ; ) {
      const record = await this.#records.last(subject);
      if (record === null) return null;
      const blob = decodeBlob(record.data);
      const bytes = 'bytes' in blob ? blob.bytes : await this.#join(blob.parts);
      if (bytes !== null) return bytes;
      // A missing part means that the blob was replaced or deleted, unless its record is still the same.
      if (record.seq === previous) throw new Error(`Blob ${key} is damaged: a part is missing`);
      previous = record.seq;
    }
  }

  async size(key: string): Promise<number | null> {
    const record = await this.#records.last(this.#subjectOf(key));
    if (record === null) return null;
    const blob = decodeBlob(record.data);
    return 'bytes' in blob ? blob.bytes.length : blob.parts.length;
  }

  async stream(key: string, from = 0): Promise<AsyncIterable<Uint8Array> | null> {
    const record = await this.#records.last(this.#subjectOf(key));
    if (record === null) return null;
    const blob = decodeBlob(record.data);
    return 'bytes' in blob ? single(blob.bytes.subarray(from)) : this.#pieces(key, blob.parts, from);
  }

  async filePath(key: string): Promise<string | null> {
    checkKey(key);
    return null;
  }

  async delete(key: string): Promise<void> {
    this.#puts.delete(key);
    await this.#eraseAll(this.#subjectOf(key));
  }

  async deletePrefix(prefix: string): Promise<void> {
    checkPrefix(prefix);
    this.#puts.delete(prefix);
    const scope = tokensOf(prefix.slice(0, -1));
    const uploads = await this.#uploads.cancel(scope);
    await this.#untilNone(`b.${scope}.>`, (subject) => this.#eraseAll(subject));
    for (const upload of uploads) await this.#uploads.eraseParts(upload);
  }

  listFolders(): AsyncIterable<string> {
    return this.#foldersOf('>');
  }

  listFoldersWith(name: string): AsyncIterable<string> {
    return this.#foldersOf(`*.*.${tokensOf(name)}`);
  }

  /** @param filter on the subjects of blobs */
  async *#foldersOf(filter: string): AsyncGenerator<string> {
    let last = '';
    const prefix = `${this.#records.name}.b.`;
    for await (const subject of this.#records.subjects(`${prefix}${filter}`)) {
      const [organization = '', document = ''] = subject.slice(prefix.length).split('.');
      const folder = `${textOf(organization)}/${textOf(document)}`;
      // Subjects are in order, so the blobs of a folder follow each other.
      if (folder !== last) yield folder;
      last = folder;
    }
  }

  async #replace(subject: string, blob: BlobRecord): Promise<void> {
    for (;;) {
      const old = await this.#records.last(subject);
      if ((await this.#records.replace(subject, encodeBlob(blob), old?.seq ?? 0)) === null) continue;
      // The blob is replaced. If a part of the old one cannot be erased now, it goes with the document.
      if (old !== null) await eraseBlob(this.#records, old).catch(() => undefined);
      return;
    }
  }

  async #eraseAll(subject: string): Promise<void> {
    for (;;) {
      const record = await this.#records.next(subject, 0);
      if (record === null) return;
      await eraseBlob(this.#records, record);
    }
  }

  /** Returns null if a part is missing. */
  async #join({ length, seqs }: PartList): Promise<Uint8Array | null> {
    const bytes = new Uint8Array(length);
    let used = 0;
    for await (const part of this.#partsAt(seqs)) {
      if (part === null) return null;
      bytes.set(part, used);
      used += part.length;
    }
    return bytes;
  }

  async *#pieces(key: string, { seqs }: PartList, from: number): AsyncGenerator<Uint8Array> {
    let skipped = from;
    let first = 0;
    if (from > 0) {
      // All parts but the last one are of the same size.
      const size = (await this.#records.at(seqs[0] as number))?.length ?? 1;
      first = Math.floor(from / size);
      skipped = from % size;
    }
    for await (const part of this.#partsAt(seqs.slice(first))) {
      if (part === null) throw new BlobInterruptedError(`Blob ${key} was replaced or deleted while it was read`);
      yield part.subarray(skipped);
      skipped = 0;
    }
  }

  async *#partsAt(seqs: readonly number[]): AsyncGenerator<Uint8Array | null> {
    for (let i = 0; i < seqs.length; i += MAX_REQUESTS) {
      yield* await Promise.all(seqs.slice(i, i + MAX_REQUESTS).map((seq) => this.#records.at(seq)));
    }
  }

  /** Repeats the listing, because its pages shift while their subjects are removed. */
  async #untilNone(filter: string, remove: (subject: string) => Promise<void>): Promise<void> {
    for (let found = true; found; ) {
      found = false;
      for await (const subject of this.#records.subjects(`${this.#records.name}.${filter}`)) {
        found = true;
        await remove(subject);
      }
    }
  }

  #subjectOf(key: string): string {
    checkKey(key);
    return `${this.#records.name}.b.${tokensOf(key)}`;
  }
}

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
