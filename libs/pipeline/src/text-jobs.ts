import { readFile } from 'node:fs/promises';
import type { BlobStore } from '#blobs';
import {
  type ChunkRef,
  type ContentExtracted,
  contentSize,
  type DocumentTexts,
  type FailureReason,
  type FileRef,
  type Live,
  MAX_URL,
  type MemoryRef,
  type Pieces,
  type TextRef,
  textLength,
} from '#documents';
import {
  CHUNK_TOKENS,
  detectKind,
  type ExtractionAnswer,
  isSlow,
  isUrl,
  limitsOf,
  newUnitKey,
  type Passages,
  type Source,
  splitText,
  type WrittenLists,
} from '#extraction';
import { giveWayToRequests, type JsonObject, type Section, urlIn } from '#kernel';
import { extractedPayload } from './extracted-payload.ts';
import { type ExtractionJob, ExtractionJobs, type ExtractionJobsOptions } from './extraction-jobs.ts';
import { blobInput, charactersOf, headOf, textInput } from './text-input.ts';

/** Texts up to this long are read in place: a job would cost more than the work. UTF-16 code units. */
const INLINE_CHARACTERS = 32_000;
/** Longer texts get their ids in the child as well, so that neither text nor passages are read into this process. */
const WHOLE_CHARACTERS = 500_000;
/** What a file is detected by before a job is made of it; all of it is looked at there. */
const HEAD_BYTES = 64 * 1024;

export interface TextJobsOptions extends ExtractionJobsOptions {
  readonly texts: DocumentTexts;
  readonly blobs: BlobStore;
}

/** There is no way to read the document. */
export interface Refused {
  readonly refused: FailureReason;
}

/** What a document is read from: the URL of a page, a short text of a caller, or the input of a job. */
export type DocumentSource =
  | { readonly page: string }
  | { readonly inline: Source }
  | { readonly job: ExtractionJob }
  | Refused;

/** What was fetched from a URL, in a file. */
export type FetchedFile = Omit<Extract<ExtractionJob['task'], { readonly task: 'extract-page' }>, 'task'> & {
  readonly path: string;
  readonly bytes: number;
};

/** The text is at another address of the site. `before` belongs to the file that is fetched from there. */
export interface NextPart {
  readonly next: string;
  readonly before: JsonObject;
}

type FileAnswer = Exclude<ExtractionAnswer, { readonly outcome: 'pictures' }>;
type FinalAnswer = Exclude<FileAnswer, { readonly outcome: 'next' }>;

/** A document's text, stored. */
export interface ExtractedText {
  readonly payload: ContentExtracted['payload'];
  readonly characters: number;
}

/** Reads files, markup and long texts in child processes. Their contents are passed as files. */
export class TextJobs {
  readonly #jobs: ExtractionJobs;
  readonly #texts: DocumentTexts;
  readonly #blobs: BlobStore;

  constructor({ texts, blobs, ...jobs }: TextJobsOptions) {
    this.#jobs = new ExtractionJobs(jobs);
    this.#texts = texts;
    this.#blobs = blobs;
  }

  /**
   * @param transcript of a conversation with the words of its pictures, in place of its content. Null: there are none
   * @throws MissingBlobError
   */
  async sourceOf(document: Live, transcript: TextRef | null = null): Promise<DocumentSource> {
    const { content, documentDate } = document;
    if (!('parts' in content)) {
      return 'page' in content ? { page: urlIn(content.page) ?? content.page } : this.#fileSource(content.file);
    }
    const fileName = 'file' in content ? content.file.name : null;
    // What was read from a file or page is text already, also if it looks like markup.
    const kind = 'isRead' in content && content.isRead ? 'plain' : 'text';
    const parts = transcript === null ? content.parts : [transcript];
    if (charactersOf(parts) <= INLINE_CHARACTERS) {
      const body = (await Promise.all(parts.map((part) => this.#texts.read(part)))).join('');
      if (isUrl(body)) return urlRefused(document, body.length);
      if (kind === 'plain' || !isMarkup(body)) {
        const sections = await this.#sectionsOf(document);
        return { inline: { body, kind, fileName, documentDate, sections } };
      }
    }
    const { input, encoding, characters } = await textInput(this.#texts, this.#blobs, parts);
    return { job: { task: { task: 'extract-text', encoding, kind, fileName }, input, bytes: characters } };
  }

  /**
   * Reads a source and stores its text.
   * @param signal ends the job
   * @throws ExtractionError; MissingResourceError; MissingBlobError; errors of the pool
   */
  extract(document: Live, job: ExtractionJob, signal?: AbortSignal): Promise<ExtractedText | Refused> {
    return this.#read(job, signal, (found, output) => this.#stored(document, found as FinalAnswer, output));
  }

  /** As `extract`, of what was fetched from a URL. */
  async extractPage(
    document: Live,
    { path, bytes, ...page }: FetchedFile,
    signal?: AbortSignal,
  ): Promise<ExtractedText | Refused | NextPart> {
    const input = { path };
    const { contentType } = page;
    const detected = await detectKind({ fileName: null, contentType, bytes: await headOf(input, HEAD_BYTES) });
    const demands = demandsOf('kind' in detected ? detected.kind : null);
    const job: ExtractionJob = { task: { task: 'extract-page', ...page }, input, bytes, ...demands };
    return this.#read<ExtractedText | Refused | NextPart>(job, signal, async (found, output) => {
      if (found.outcome !== 'next') return this.#stored(document, found, output);
      return { next: found.address, before: found.before };
    });
  }

  async #stored(document: Live, found: FinalAnswer, output: string): Promise<ExtractedText | Refused> {
    if (found.outcome === 'url') return urlRefused(document, contentSize(document));
    if (found.outcome === 'unsupported') return unsupported(found.reason, found.type);
    if (found.outcome === 'unavailable') {
      return { refused: { code: 'fetch_failed', message: found.reason, type: found.type } };
    }
    const { characters, written } = found;
    const text = written && (await this.#texts.storeWritten(document.organization, document.id, output, written));
    return { payload: await extractedPayload(document, { ...found, text }, this.#texts), characters };
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
    const sections = await this.#sectionsOf(document);
    if (charactersOf(parts) <= INLINE_CHARACTERS) {
      const text = (await this.#texts.extracted(document)) ?? '';
      await giveWayToRequests();
      return splitText(text, chunkTokens, sections);
    }
    const { input, encoding, characters } = await textInput(this.#texts, this.#blobs, parts);
    return this.#jobs.run(
      { task: { task: 'split', encoding, chunkTokens, sections }, input, bytes: characters },
      signal,
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
    const sections = await this.#sectionsOf(document);
    const task: ExtractionJob['task'] = {
      task: 'split-with-ids',
      encoding,
      chunkTokens,
      sections,
      unitKey,
      withMemories,
    };
    return this.#jobs.run({ task, input, bytes: characters }, signal, async ({ answer, output: path }) => {
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
    const isSure = bytes <= HEAD_BYTES || !('isUnsure' in detected);
    if ('unsupported' in detected && isSure) return unsupported(detected.unsupported, detected.type);
    const job: ExtractionJob = { task: { task: 'extract-file', upload }, input, bytes };
    if (!('kind' in detected)) return { job: { ...job, ...demandsOf(null) } };
    return { job: { ...job, ...demandsOf(detected.kind), type: detected.type } };
  }

  /** Texts that were added to a file are on none of its pages. */
  async #sectionsOf({ sections, content }: Live): Promise<readonly Section[]> {
    if (!sections) return [];
    const ofFile = await this.#texts.readList(sections);
    if (!('parts' in content)) return ofFile;
    const [read] = content.parts;
    return read === undefined || content.parts.length === 1 ? ofFile : [...ofFile, [textLength(read), {}]];
  }

  /** Runs a job that reads a file. If its text depends on pictures, these are read, and then the file again. */
  async #read<T>(
    job: ExtractionJob,
    signal: AbortSignal | undefined,
    use: (answer: FileAnswer, output: string) => Promise<T>,
  ): Promise<T> {
    const first = await this.#jobs.run(job, signal, async ({ answer, output }) => {
      const found = answer as unknown as ExtractionAnswer;
      return found.outcome === 'pictures' ? found : { used: await use(found, output) };
    });
    if ('used' in first) return first.used;
    const { input, task } = job;
    const pictures = await this.#jobs.readPictures({ ...first, input }, signal);
    return this.#jobs.run({ ...job, task: { ...task, pictures } as typeof task }, signal, ({ answer, output }) =>
      use(answer as unknown as FileAnswer, output),
    );
  }
}

/** Null: of a container, whose kind only the whole file shows. */
const demandsOf = (kind: string | null) => ({ limits: limitsOf(kind), isSlow: kind !== null && isSlow(kind) });

function extractedParts({ extracted, content }: Live): readonly TextRef[] | null {
  if (extracted !== 'content') return extracted && [extracted];
  return 'parts' in content ? content.parts : null;
}

/** Markup is read by a parser of others, which is kept away from the threads that answer requests. */
const isMarkup = (text: string): boolean => /^\s*</.test(text);

const unsupported = (message: string, type: string): Refused => ({
  refused: { code: 'unsupported_type', message, type },
});

/** Of a URL that is too long for a page, and of one that an earlier version has stored as a text. */
const urlRefused = ({ type }: Live, characters: number): Refused =>
  characters > MAX_URL
    ? { refused: { code: 'fetch_refused', message: URL_TOO_LONG, type } }
    : unsupported('Pages behind a URL are not fetched yet', type);

const URL_TOO_LONG = `The URL is longer than ${MAX_URL} characters and is not fetched. Send a shorter address, or the text of the page.`;
