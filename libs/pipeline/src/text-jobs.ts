import { readFile } from 'node:fs/promises';
import type { BlobStore } from '#blobs';
import {
  type ChunkRef,
  type ContentExtracted,
  type DocumentTexts,
  type FailureReason,
  type FileRef,
  type Live,
  type MemoryRef,
  MissingBlobError,
  type Pieces,
  type TextRef,
} from '#documents';
import {
  CHUNK_TOKENS,
  chunk,
  detectKind,
  type ExtractedDocument,
  type ExtractionAnswer,
  type ExtractionTask,
  extractionKind,
  formMemories,
  isUrl,
  newUnitKey,
  type Source,
  type WrittenLists,
} from '#extraction';
import { hasCode, type Json, MnemeError, translateFileError } from '#kernel';
import type { JobInput, JobResult, Pool } from '#pool';
import { blobInput, charactersOf, headOf, textInput } from './text-input.ts';

/** Texts up to this long are read in place: a job would cost more than the work. UTF-16 code units. */
const INLINE_CHARACTERS = 32_000;
/** Longer texts get their ids in the child as well, so that neither text nor passages are read into this process. */
const WHOLE_CHARACTERS = 500_000;
/** What a file is detected by before a job is made of it; all of it is looked at there. */
const HEAD_BYTES = 64 * 1024;

export interface TextJobsOptions {
  readonly pool: Pick<Pool, 'run'>;
  readonly texts: DocumentTexts;
  readonly blobs: BlobStore;
}

/** There is no way to read the document. */
export interface Refused {
  readonly refused: FailureReason;
}

/** What a document is read from: a short text of a caller, or the input of a job. */
export type DocumentSource = { readonly inline: Source } | { readonly job: ExtractionJob } | Refused;

export interface ExtractionJob {
  readonly task: ExtractionTask;
  readonly input: JobInput;
  readonly bytes: number;
}

/** A document's text, stored. */
export interface ExtractedText {
  readonly payload: ContentExtracted['payload'];
  readonly characters: number;
}

export type Passages = Pick<ExtractedDocument, 'chunks' | 'memories'>;

/** Reads files, markup and long texts in child processes. Their contents are passed as files. */
export class TextJobs {
  readonly #pool: TextJobsOptions['pool'];
  readonly #texts: DocumentTexts;
  readonly #blobs: BlobStore;

  constructor({ pool, texts, blobs }: TextJobsOptions) {
    this.#pool = pool;
    this.#texts = texts;
    this.#blobs = blobs;
  }

  /** @throws MissingBlobError */
  async sourceOf(document: Live): Promise<DocumentSource> {
    const { content, documentDate } = document;
    if (!('parts' in content)) return this.#fileSource(content.file);
    const fileName = 'file' in content ? content.file.name : null;
    // What was read from a file is text already, also if it looks like markup; Markdown is taken as it stands.
    const kind = 'file' in content && content.isRead ? 'markdown' : 'text';
    if (charactersOf(content.parts) <= INLINE_CHARACTERS) {
      const body = (await this.#texts.content(document)) ?? '';
      if (isUrl(body)) return urlRefused(document);
      if (kind === 'markdown' || !isMarkup(body)) return { inline: { body, kind, fileName, documentDate } };
    }
    const { input, encoding, characters } = await textInput(this.#texts, this.#blobs, content.parts);
    return { job: { task: { task: 'extract-text', encoding, kind, fileName }, input, bytes: characters } };
  }

  /**
   * Reads a source and stores its text.
   * @param signal ends the job
   * @throws ExtractionError; TextTooLargeError, TextTimeoutError; MissingBlobError; errors of the pool
   */
  extract(document: Live, job: ExtractionJob, signal?: AbortSignal): Promise<ExtractedText | Refused> {
    return this.#run<ExtractedText | Refused>({ ...job, signal }, async ({ answer, output }) => {
      const found = answer as unknown as ExtractionAnswer;
      if (found.outcome === 'url') return urlRefused(document);
      if (found.outcome === 'unsupported') return unsupported(found.reason, found.type);
      const { title, summary, type, characters, written } = found;
      const text = written && (await this.#texts.storeWritten(document.organization, document.id, output, written));
      return { payload: { text, title, summary, type }, characters };
    });
  }

  /**
   * Finds the passages of the extracted text. Null: no extracted text.
   * @param chunkTokens maximum size of a chunk
   * @param signal ends the job
   * @throws as `extract`
   */
  async split(document: Live, chunkTokens = CHUNK_TOKENS, signal?: AbortSignal): Promise<Passages | null> {
    const parts = extractedParts(document);
    if (parts === null) return null;
    if (charactersOf(parts) <= INLINE_CHARACTERS) {
      const text = (await this.#texts.extracted(document)) ?? '';
      return { chunks: chunk(text, chunkTokens), memories: formMemories(text) };
    }
    const { input, encoding, characters } = await textInput(this.#texts, this.#blobs, parts);
    return this.#run(
      { task: { task: 'split', encoding, chunkTokens }, input, bytes: characters, signal },
      async ({ output }) => JSON.parse(await readFile(output, 'utf8')) as Passages,
    );
  }

  /**
   * Finds the passages of a very long text, gives them ids and stores their lists, all in a child.
   * @param chunkTokens maximum size of a chunk
   * @param signal ends the job
   * @returns null for a shorter text, and where ids were recorded without a key: they follow from more than text and key
   * @throws as `extract`
   */
  async formPieces(document: Live, chunkTokens = CHUNK_TOKENS, signal?: AbortSignal): Promise<Pieces | null> {
    const { organization, id, taskType, hasUnkeyedUnits } = document;
    const parts = extractedParts(document);
    if (parts === null || hasUnkeyedUnits || charactersOf(parts) <= WHOLE_CHARACTERS) return null;
    const { input, encoding, characters } = await textInput(this.#texts, this.#blobs, parts);
    const unitKey = document.unitKey ?? newUnitKey();
    const withMemories = taskType === 'memory';
    const task: ExtractionTask = { task: 'split-with-ids', encoding, chunkTokens, unitKey, withMemories };
    return this.#run({ task, input, bytes: characters, signal }, async ({ answer, output: path }) => {
      const { chunks, memories } = answer as unknown as WrittenLists;
      const afterChunks = { path, start: chunks.bytes + 1 };
      return {
        chunks: await this.#texts.storeWrittenList<ChunkRef>(organization, id, { path, start: 0 }, chunks),
        memories: await this.#texts.storeWrittenList<MemoryRef>(organization, id, afterChunks, memories),
        unitKey,
        sizes: { chunks: chunks.length, memories: memories.length },
      };
    });
  }

  async #fileSource(file: FileRef): Promise<DocumentSource> {
    const { blob, bytes, name: fileName, contentType, fileType, mimeType } = file;
    const upload = { fileName, contentType, fileType, mimeType };
    const input = await blobInput(this.#blobs, blob);
    const detected = await detectKind({ ...upload, bytes: await headOf(input, HEAD_BYTES) });
    if (!('kind' in detected)) return unsupported(detected.unsupported, detected.type);
    return { job: { task: { task: 'extract-file', upload }, input, bytes } };
  }

  async #run<T>(
    { task, input, bytes, signal }: ExtractionJob & { readonly signal: AbortSignal | undefined },
    use: (result: JobResult) => Promise<T>,
  ): Promise<T> {
    const job = { kind: extractionKind, params: task as unknown as Json, input, bytes };
    try {
      return await this.#pool.run(signal === undefined ? job : { ...job, signal }, use);
    } catch (error) {
      throw translate(error);
    }
  }
}

function extractedParts({ extracted, content }: Live): readonly TextRef[] | null {
  if (extracted !== 'content') return extracted && [extracted];
  return 'parts' in content ? content.parts : null;
}

/** Markup is read by a parser of others, which is kept away from the threads that answer requests. */
const isMarkup = (text: string): boolean => /^\s*</.test(text);

const unsupported = (message: string, type: string): Refused => ({
  refused: { code: 'unsupported_type', message, type },
});

const urlRefused = ({ type }: Live): Refused => unsupported('Pages behind a URL are not fetched yet', type);

function translate(error: unknown): unknown {
  if (hasCode(error, 'job_memory_exceeded', 'job_output_exceeded')) {
    return new TextTooLargeError(error.message, { cause: error });
  }
  if (hasCode(error, 'job_time_exceeded')) return new TextTimeoutError(error.message, { cause: error });
  if (hasCode(error, 'job_input_missing')) return new MissingBlobError('the blob that it is read from is gone');
  return translateFileError(error);
}

/** A text could not be read in the time that it may take. */
class TextTimeoutError extends MnemeError {
  override readonly name = 'TextTimeoutError';
  override readonly kind = undefined;
  override readonly code = 'text_time_exceeded';
}

/** A text could not be read in the memory, or into the space, that it may take. */
class TextTooLargeError extends MnemeError {
  override readonly name = 'TextTooLargeError';
  override readonly kind = 'permanent';
  override readonly code = 'text_too_large';
}
