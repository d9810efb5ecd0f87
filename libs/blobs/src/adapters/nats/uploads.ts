import { hasCode, newId } from '#kernel';
import type { RecordStream } from '#nats';
import { type BlobRecord, decodeBlob, type PartList } from './blob-record.ts';
import { eraseBlob, eraseSubject, MAX_REQUESTS } from './erase.ts';
import { seal } from './sealing.ts';
import { tokensOf } from './subjects.ts';

interface Upload {
  readonly id: string;
  /** Subject of the parts. */
  readonly subject: string;
  /** A write has no answer: it may or may not be stored. */
  isUnsure: boolean;
}

/**
 * Uploads of blobs in parts. A marker exists while an upload runs. Erasing the folder erases the marker, which the upload
 * finds at its end, and removes its blob.
 */
export class Uploads {
  readonly #records: RecordStream;

  constructor(records: RecordStream) {
    this.#records = records;
  }

  /**
   * Stores the parts, then calls `commit` with their list.
   * @param secret seals the parts
   * @returns the length of the blob, and whether the blob was kept: not if the marker was removed before the end
   */
  async run(
    key: string,
    parts: AsyncIterable<Uint8Array>,
    secret: Uint8Array,
    commit: (parts: PartList) => Promise<void>,
  ): Promise<{ readonly length: number; readonly isKept: boolean }> {
    const [organization = '', document = ''] = key.split('/').map(tokensOf);
    const id = newId();
    const path = `${organization}.${document}.${id}`;
    const marker = `${this.#records.name}.u.${path}`;
    const begun = await this.#records.write(marker, new Uint8Array());
    const upload: Upload = { subject: `${this.#records.name}.c.${path}`, id, isUnsure: false };
    let isKept = false;
    try {
      const list = await this.#writeParts(upload, parts, secret);
      await commit(list).catch((error: unknown) => {
        upload.isUnsure = !hasCode(error, 'no_space');
        throw error;
      });
      isKept = true;
      // Null: the folder was deleted, or the upload counted as interrupted, and parts may be gone. The blob has to go too.
      if ((await this.#records.replace(marker, new Uint8Array(), begun)) === null) {
        await this.#undo(key, id);
        isKept = false;
      }
      return { length: list.length, isKept };
    } finally {
      // If a write may still arrive, the garbage collection has to find it.
      if (!upload.isUnsure) await this.#end(path, isKept).catch(() => undefined);
    }
  }

  async #end(path: string, isKept: boolean): Promise<void> {
    if (!isKept) await eraseSubject(this.#records, `${this.#records.name}.c.${path}`);
    await eraseSubject(this.#records, `${this.#records.name}.u.${path}`);
  }

  async #writeParts(upload: Upload, parts: AsyncIterable<Uint8Array>, secret: Uint8Array): Promise<PartList> {
    const seqs: number[] = [];
    let length = 0;
    let number = 0;
    let pending: Promise<number>[] = [];
    const settle = async () => {
      const results = await Promise.allSettled(pending);
      pending = [];
      for (const result of results) {
        if (result.status === 'fulfilled') seqs.push(result.value);
        else {
          upload.isUnsure ||= !hasCode(result.reason, 'no_space');
          throw result.reason;
        }
      }
    };
    try {
      for await (const part of parts) {
        length += part.length;
        pending.push(this.#records.write(upload.subject, seal(part, secret, number)));
        number += 1;
        if (pending.length === MAX_REQUESTS) await settle();
      }
    } finally {
      await settle();
    }
    return { upload: upload.id, length, seqs };
  }

  /** Removes the blob if it is still the one of this upload. */
  async #undo(key: string, upload: string): Promise<void> {
    const record = await this.#records.last(`${this.#records.name}.b.${tokensOf(key)}`);
    if (record !== null && uploadOf(decodeBlob(record.data)) === upload) await eraseBlob(this.#records, record);
  }
}

const uploadOf = (blob: BlobRecord): string | null => ('parts' in blob ? blob.parts.upload : null);
