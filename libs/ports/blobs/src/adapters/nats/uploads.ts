import { hasCode, newId } from '#platform/kernel';
import type { RecordStream } from '#platform/nats';
import type { PartList } from './blob-record.ts';
import { eraseSubject, MAX_REQUESTS } from './erase.ts';
import type { OwnBlob } from './own-blob.ts';
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
 * Uploads of blobs in parts. A marker exists while an upload runs. Erasing the folder erases the marker first, then the
 * secrets, which the upload finds before it stores its blob.
 */
export class Uploads {
  readonly #records: RecordStream;

  constructor(records: RecordStream) {
    this.#records = records;
  }

  /**
   * Stores the parts, then the blob that names them.
   * @returns the length of the blob, and whether it is stored: not if the folder was deleted meanwhile, or the upload
   * counted as interrupted
   */
  async run(
    key: string,
    parts: AsyncIterable<Uint8Array>,
    own: OwnBlob,
  ): Promise<{ readonly length: number; readonly isStored: boolean }> {
    const [organization = '', document = ''] = key.split('/').map(tokensOf);
    const id = newId();
    const path = `${organization}.${document}.${id}`;
    const marker = `${this.#records.name}.u.${path}`;
    const begun = await this.#records.write(marker, new Uint8Array());
    const upload: Upload = { subject: `${this.#records.name}.c.${path}`, id, isUnsure: false };
    let isStored = false;
    try {
      const list = await this.#writeParts(upload, parts, own.secret);
      if ((await this.#records.last(marker))?.seq === begun) {
        isStored = await own.store({ parts: list }).catch((error: unknown) => {
          upload.isUnsure = !hasCode(error, 'no_space');
          throw error;
        });
      }
      return { length: list.length, isStored };
    } finally {
      // If a write may still arrive, the garbage collection has to find it.
      if (!upload.isUnsure) await this.#end(path, isStored).catch(() => undefined);
    }
  }

  async #end(path: string, isStored: boolean): Promise<void> {
    if (!isStored) await eraseSubject(this.#records, `${this.#records.name}.c.${path}`);
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
}
