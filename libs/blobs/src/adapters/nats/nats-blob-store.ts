import { type Clock, hasCode, newId, systemClock } from '#kernel';
import { type NatsRecord, openRecordStream, type RecordStream } from '#nats';
import { checkKey, checkPrefix } from '../../keys.ts';
import { BlobInterruptedError, BlobStorageFullError, type BlobStore, type NatsBlobOptions } from '../../port.ts';
import { type BlobRecord, decodeBlob, encodeBlob, type PartList, partsOf } from './parts.ts';

const PART_BYTES = 512 * 1024;
/** Parts, or erasures, under way at a time: what one put or get holds in memory beside the answer. */
const AT_ONCE = 4;
/** An upload that has shown nothing for so long was cut off. Wide enough for clocks that differ. */
const ABANDONED_MS = 24 * 3_600_000;
const NAME = /^[^.]+\.u\.(?<folder>[^.]+\.[^.]+)\.(?<upload>[^.]+)$/;

/**
 * Blobs on a JetStream stream:
 * - `<stream>.b.<organization>.<document>.<name>`: the blob itself, or, beyond 512 KiB, where its parts are. Written by
 *   compare and set, so that each writer knows what it replaced, and removes exactly that.
 * - `<stream>.c.<organization>.<document>.<upload>`: parts.
 * - `<stream>.u.<organization>.<document>.<upload>`: stands while parts are being put. Who deletes the folder writes it
 *   again; the uploader then finds it changed and takes back what it has put. One that is left over leads to the parts of
 *   a process that ended.
 *
 * What is removed is overwritten in the server's files, too: a purge by subject would leave the bytes there until the
 * server happens to compact them.
 */
export class NatsBlobStore implements BlobStore {
  readonly #records: RecordStream;
  readonly #partBytes: number;

  /** @see openNatsBlobs */
  static async open({ bucket, ...options }: NatsBlobOptions, clock: Clock = systemClock): Promise<NatsBlobStore> {
    const store = new NatsBlobStore(await openRecordStream({ ...options, name: bucket }));
    await store.#removeAbandoned(clock.now() - ABANDONED_MS);
    return store;
  }

  private constructor(records: RecordStream) {
    this.#records = records;
    this.#partBytes = Math.min(PART_BYTES, records.maxRecordBytes - 1);
  }

  async put(key: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<{ readonly length: number }> {
    const subject = this.#subjectOf(key);
    const length = await this.#store(key, bytes, async (record) => {
      for (;;) {
        const old = await this.#records.last(subject);
        if ((await this.#records.replace(subject, record, old?.seq ?? 0)) === null) continue;
        // The blob is replaced; what cannot be removed of the old one now goes with the document.
        if (old !== null) await this.#discard(old).catch(() => undefined);
        return true;
      }
    });
    return { length: length ?? 0 };
  }

  async putNew(key: string, bytes: Uint8Array): Promise<boolean> {
    const subject = this.#subjectOf(key);
    const length = await this.#store(
      key,
      bytes,
      async (record) => (await this.#records.replace(subject, record, 0)) !== null,
    );
    return length !== null;
  }

  async get(key: string): Promise<Uint8Array | null> {
    const subject = this.#subjectOf(key);
    for (let seen = 0; ; ) {
      const record = await this.#records.last(subject);
      if (record === null) return null;
      const blob = decodeBlob(record.data);
      const bytes = 'bytes' in blob ? blob.bytes : await this.#join(blob.parts);
      if (bytes !== null) return bytes;
      // Replaced or deleted while it was read; twice the same is neither.
      if (record.seq === seen) throw new Error(`Blob ${key} is damaged: a part of it is missing`);
      seen = record.seq;
    }
  }

  async stream(key: string): Promise<AsyncIterable<Uint8Array> | null> {
    const record = await this.#records.last(this.#subjectOf(key));
    if (record === null) return null;
    const blob = decodeBlob(record.data);
    return 'bytes' in blob ? single(blob.bytes) : this.#pieces(key, blob.parts);
  }

  async filePath(key: string): Promise<string | null> {
    checkKey(key);
    return null;
  }

  async deletePrefix(prefix: string): Promise<void> {
    checkPrefix(prefix);
    const scope = tokens(prefix.slice(0, -1));
    const uploads = await this.#cancelUploads(scope);
    await this.#untilNone(`b.${scope}.>`, async (subject) => {
      for (;;) {
        const record = await this.#records.next(subject, 0);
        if (record === null) return;
        await this.#discard(record);
      }
    });
    for (const upload of uploads) await this.#eraseAll(`c.${upload}`);
  }

  async *listFolders(): AsyncIterable<string> {
    let last = '';
    const prefix = `${this.#records.name}.b.`;
    for await (const subject of this.#records.subjects(`${prefix}>`)) {
      const [organization = '', document = ''] = subject.slice(prefix.length).split('.');
      const folder = `${text(organization)}/${text(document)}`;
      // They come in order.
      if (folder !== last) yield folder;
      last = folder;
    }
  }

  /** @returns the length; null when `commit` found that it must not be */
  async #store(
    key: string,
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
    commit: (record: Uint8Array) => Promise<boolean>,
  ): Promise<number | null> {
    const parts = partsOf(bytes, this.#partBytes);
    try {
      const first = (await parts.next()).value ?? new Uint8Array();
      const second = await parts.next();
      if (!second.done) return await this.#upload(key, startingWith([first, second.value], parts), commit);
      return (await commit(encodeBlob({ bytes: first }))) ? first.length : null;
    } catch (error) {
      if (!hasCode(error, 'no_space')) throw error;
      throw new BlobStorageFullError(`No room for blob ${key}`, { cause: error });
    } finally {
      // Ends the caller's stream where it was not read to its end.
      await parts.return();
    }
  }

  async #upload(
    key: string,
    parts: AsyncIterable<Uint8Array>,
    commit: (record: Uint8Array) => Promise<boolean>,
  ): Promise<number | null> {
    const [organization = '', document = '', name = ''] = key.split('/').map(tokens);
    const upload = newId();
    const path = `${organization}.${document}.${upload}`;
    const marker = `${this.#records.name}.u.${path}`;
    const begun = await this.#records.write(marker, new TextEncoder().encode(name));
    const uploading: Uploading = { subject: `${this.#records.name}.c.${path}`, upload, isUnsure: false };
    let isKept = false;
    try {
      const list = await this.#putParts(uploading, parts);
      uploading.isUnsure = true;
      isKept = await commit(encodeBlob({ parts: list }));
      uploading.isUnsure = false;
      // Null: the folder was deleted meanwhile, and this with it.
      if (isKept && (await this.#records.replace(marker, new Uint8Array(), begun)) === null) {
        await this.#takeBack(key, upload);
        isKept = false;
        return list.length;
      }
      return isKept ? list.length : null;
    } finally {
      // What may still arrive, or may be the blob by now, is left for later: the marker leads to it.
      if (!uploading.isUnsure) await this.#endUpload(path, isKept).catch(() => undefined);
    }
  }

  async #endUpload(path: string, isKept: boolean): Promise<void> {
    if (!isKept) await this.#eraseAll(`c.${path}`);
    await this.#eraseAll(`u.${path}`);
  }

  async #putParts(uploading: Uploading, parts: AsyncIterable<Uint8Array>): Promise<PartList> {
    const seqs: number[] = [];
    let length = 0;
    let waiting: Promise<number>[] = [];
    const settle = async () => {
      const results = await Promise.allSettled(waiting);
      waiting = [];
      for (const result of results) {
        if (result.status === 'fulfilled') seqs.push(result.value);
        else if (hasCode(result.reason, 'no_space')) throw result.reason;
        else {
          uploading.isUnsure = true;
          throw result.reason;
        }
      }
    };
    try {
      for await (const part of parts) {
        length += part.length;
        waiting.push(this.#records.write(uploading.subject, part));
        if (waiting.length === AT_ONCE) await settle();
      }
    } finally {
      await settle();
    }
    return { upload: uploading.upload, length, seqs };
  }

  /** Removes the blob, if it is still the one of this upload. */
  async #takeBack(key: string, upload: string): Promise<void> {
    const record = await this.#records.last(this.#subjectOf(key));
    if (record !== null && uploadOf(decodeBlob(record.data)) === upload) await this.#discard(record);
  }

  /** Null: a part is not there any more. */
  async #join({ length, seqs }: PartList): Promise<Uint8Array | null> {
    const bytes = new Uint8Array(length);
    let used = 0;
    for (let i = 0; i < seqs.length; i += AT_ONCE) {
      const parts = await Promise.all(seqs.slice(i, i + AT_ONCE).map((seq) => this.#records.at(seq)));
      for (const part of parts) {
        if (part === null) return null;
        bytes.set(part, used);
        used += part.length;
      }
    }
    return bytes;
  }

  async *#pieces(key: string, { seqs }: PartList): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < seqs.length; i += AT_ONCE) {
      const parts = await Promise.all(seqs.slice(i, i + AT_ONCE).map((seq) => this.#records.at(seq)));
      for (const part of parts) {
        if (part === null) throw new BlobInterruptedError(`Blob ${key} was replaced or deleted while it was read`);
        yield part;
      }
    }
  }

  /** Removes a record and its parts; the record first, so that nobody is led to parts that are gone. */
  async #discard(record: NatsRecord): Promise<void> {
    const blob = decodeBlob(record.data);
    await this.#records.erase(record.seq);
    if ('parts' in blob) await this.#erase(blob.parts.seqs);
  }

  async #erase(seqs: readonly number[]): Promise<void> {
    for (let i = 0; i < seqs.length; i += AT_ONCE) {
      await Promise.all(seqs.slice(i, i + AT_ONCE).map((seq) => this.#records.erase(seq)));
    }
  }

  async #eraseAll(path: string): Promise<void> {
    const subject = `${this.#records.name}.${path}`;
    for (;;) {
      const record = await this.#records.next(subject, 0);
      if (record === null) return;
      await this.#records.erase(record.seq);
    }
  }

  /** @returns `<organization>.<document>.<upload>` of what was under way */
  async #cancelUploads(scope: string): Promise<string[]> {
    const uploads: string[] = [];
    const prefix = `${this.#records.name}.u.`;
    for await (const subject of this.#records.subjects(`${prefix}${scope}.>`)) {
      const marker = await this.#records.last(subject);
      if (marker !== null) await this.#records.replace(subject, marker.data, marker.seq);
      uploads.push(subject.slice(prefix.length));
    }
    return uploads;
  }

  async #removeAbandoned(before: number): Promise<void> {
    for await (const subject of this.#records.subjects(`${this.#records.name}.u.>`)) {
      const marker = await this.#records.last(subject);
      const { folder = '', upload = '' } = NAME.exec(subject)?.groups ?? {};
      if (marker === null || marker.time.getTime() > before) continue;
      const name = new TextDecoder().decode(marker.data);
      const record = name === '' ? null : await this.#records.last(`${this.#records.name}.b.${folder}.${name}`);
      const isKept = name === '' || (record !== null && uploadOf(decodeBlob(record.data)) === upload);
      if (!isKept) await this.#eraseAll(`c.${folder}.${upload}`);
      await this.#eraseAll(`u.${folder}.${upload}`);
    }
  }

  /** Repeats, because pages move while what is on them is removed. */
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
    return `${this.#records.name}.b.${tokens(key)}`;
  }
}

interface Uploading {
  readonly subject: string;
  readonly upload: string;
  /** A write has no answer: it may or may not have happened. */
  isUnsure: boolean;
}

/** A dot separates in subjects, and may stand in keys; no key holds a tilde. */
const tokens = (path: string): string => path.replaceAll('.', '~').replaceAll('/', '.');
const text = (token: string): string => token.replaceAll('~', '.');

const uploadOf = (blob: BlobRecord): string | null => ('parts' in blob ? blob.parts.upload : null);

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
