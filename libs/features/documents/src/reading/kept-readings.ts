import { hasCode, type Json } from '#platform/kernel';
import type { BlobStore } from '#ports/blobs';
import type { Live } from '../state.ts';
import { blobFolder } from '../streams.ts';

/** How far the text of a document is read, while that takes long. */
export interface ReadingProgress {
  readonly done: number;
  /** Null: not known. */
  readonly total: number | null;
  /** `pages`: the pages, or pictures as large as one, whose text is recognized. `seconds`: of a recording. */
  readonly unit: 'pages' | 'seconds';
}

/** What is read, and with what. What was read of another source is of no use. */
export interface ReadingSource {
  /** Names the bytes: the key of their blob, or their hash. */
  readonly bytes: string;
  /** Names the program and its weights. */
  readonly by: string;
}

/** The reading of a document as far as it is kept. */
export interface KeptHead {
  /** Of the content. */
  readonly version: number;
  readonly source: ReadingSource;
  readonly progress: ReadingProgress;
  readonly parts: number;
  /** The most parts that there were before the latest attempt, of whatever bytes. */
  readonly before: number;
}

export interface KeptReading {
  readonly head: KeptHead;
  readonly parts: readonly Json[];
}

type DocumentId = Pick<Live, 'organization' | 'id'>;

/** Name of the blob. Others are named after a hash. */
const NAME = 'reading';
const LINE_END = 10;

/**
 * What is read of documents whose reading takes long: finished pages, and what was said so far. One blob for each document,
 * which is erased with it and exists only while it is read: a line of JSON with the head, then one for each part.
 */
export class KeptReadings {
  readonly #blobs: BlobStore;

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  /** Null: nothing of this version of the content is kept. Reads the beginning only. */
  async head(document: Pick<Live, 'organization' | 'id' | 'contentVersion'>): Promise<KeptHead | null> {
    const head = await this.#head(keyOf(document));
    return head?.version === document.contentVersion ? head : null;
  }

  /** Null: nothing of this version and this source is kept. */
  async load(
    document: Pick<Live, 'organization' | 'id' | 'contentVersion'>,
    source: ReadingSource,
  ): Promise<KeptReading | null> {
    const bytes = await this.#whole(keyOf(document));
    if (bytes === null) return null;
    const [first = '', ...lines] = Buffer.from(bytes).toString().trimEnd().split('\n');
    const head = JSON.parse(first) as KeptHead;
    const isSame = head.source.bytes === source.bytes && head.source.by === source.by;
    if (head.version !== document.contentVersion || !isSame) return null;
    return { head, parts: lines.map((line) => JSON.parse(line) as Json) };
  }

  /** Replaces what is kept of the document. @param lines one for each part, as `lineOf` makes it */
  async store(document: DocumentId, head: KeptHead, lines: readonly Uint8Array[]): Promise<void> {
    await this.#blobs.put(keyOf(document), Buffer.concat([lineOf({ ...head } as unknown as Json), ...lines]));
  }

  /** Removes what is kept of this version of the content, or of an earlier one. */
  async remove(document: Pick<Live, 'organization' | 'id' | 'contentVersion'>): Promise<void> {
    const head = await this.#head(keyOf(document));
    if (head !== null && head.version <= document.contentVersion) await this.#blobs.delete(keyOf(document));
  }

  /** Removes what was read of a file that is removed. @param blob of the file */
  async removeOf(blob: string): Promise<void> {
    const key = `${blob.slice(0, blob.lastIndexOf('/') + 1)}${NAME}`;
    if ((await this.#head(key))?.source.bytes === blob) await this.#blobs.delete(key);
  }

  /** Yields the documents of which something is kept. */
  async *documents(): AsyncGenerator<DocumentId> {
    for await (const folder of this.#blobs.listFoldersWith(NAME)) {
      const [organization = '', id = ''] = folder.split('/');
      yield { organization, id };
    }
  }

  /** Null also for a blob that has lost a part: the document is read again. */
  async #whole(key: string): Promise<Uint8Array | null> {
    try {
      return await this.#blobs.get(key);
    } catch (error) {
      if (!hasCode(error, 'blob_damaged')) throw error;
      return null;
    }
  }

  async #head(key: string): Promise<KeptHead | null> {
    const pieces = await this.#blobs.stream(key);
    try {
      // No head is longer than the first piece.
      for await (const piece of pieces ?? []) {
        return JSON.parse(Buffer.from(piece.subarray(0, piece.indexOf(LINE_END))).toString()) as KeptHead;
      }
    } catch (error) {
      if (!hasCode(error, 'blob_interrupted', 'blob_damaged')) throw error;
    }
    return null;
  }
}

const keyOf = ({ organization, id }: DocumentId): string => `${blobFolder(organization, id)}${NAME}`;

/** A part as it is kept. */
export const lineOf = (part: Json): Uint8Array => Buffer.from(`${JSON.stringify(part)}\n`);
