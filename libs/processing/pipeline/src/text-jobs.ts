import {
  type ContentExtracted,
  type DocumentTexts,
  type FailureReason,
  type FileRef,
  type Live,
  MAX_URL,
  type Transcript,
} from '#features/documents';
import { hasCode, type JsonObject, urlIn } from '#platform/kernel';
import type { BlobStore } from '#ports/blobs';
import {
  detectKind,
  type ExtractionAnswer,
  isUrl,
  type LongWork,
  limitsOf,
  longWorkOf,
  type Source,
} from '#processing/extraction';
import { extractedPayload } from './extracted-payload.ts';
import {
  type ExtractionJob,
  ExtractionJobs,
  type ExtractionJobsOptions,
  LONG,
  type LongRun,
} from './extraction-jobs.ts';
import { INLINE_CHARACTERS, sectionsOf } from './passage-jobs.ts';
import { blobInput, charactersOf, hashOf, headOf, textInput } from './text-input.ts';

/** What a file is detected by before a job is made of it; all of it is looked at there. */
const HEAD_BYTES = 64 * 1024;

export interface TextJobsOptions extends ExtractionJobsOptions {
  readonly texts: DocumentTexts;
  readonly blobs: BlobStore;
}

/** There is no way to read the document. */
export interface ReadingRefusal {
  readonly refused: FailureReason;
}

/** What a document is read from: the URL of a page, a short text of a caller, or the input of a job. */
export type DocumentSource =
  | { readonly page: string }
  | { readonly inline: Source }
  | { readonly job: ExtractionJob }
  | ReadingRefusal;

/** What was fetched from a URL, in a file. */
export type FetchedFile = Omit<Extract<ExtractionJob['task'], { readonly task: 'extract-page' }>, 'task'> & {
  readonly path: string;
  readonly bytes: number;
};

/** Reading takes long; nothing is read yet. */
export interface DeferredReading {
  readonly long: LongWork;
}

/** How a source is read. */
export interface ReadingOptions extends LongRun {
  /** Work that takes long is not begun. Default: false. */
  readonly isBrief?: boolean;
}

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
  async sourceOf(document: Live, transcript: Transcript | null = null): Promise<DocumentSource> {
    const { content, documentDate } = document;
    if (!('parts' in content)) {
      return 'page' in content ? { page: urlIn(content.page) ?? content.page } : this.#fileSource(content.file);
    }
    const fileName = 'file' in content ? content.file.name : null;
    // What was read from a file or page is text already, also if it looks like markup.
    const kind = 'isRead' in content && content.isRead ? 'plain' : 'text';
    const parts = transcript === null ? content.parts : [{ inline: transcript.text }];
    const { borders } = transcript ?? document;
    if (charactersOf(parts) <= INLINE_CHARACTERS) {
      const body = (await Promise.all(parts.map((part) => this.#texts.read(part)))).join('');
      if (isUrl(body) && body.length > MAX_URL) return urlTooLong(document);
      if (kind === 'plain' || !isMarkup(body)) {
        const sections = await sectionsOf(document, this.#texts);
        return { inline: { body, kind, fileName, documentDate, sections, borders } };
      }
    }
    const { input, encoding, characters } = await textInput(this.#texts, this.#blobs, parts);
    return { job: { task: { task: 'extract-text', encoding, kind, fileName, borders }, input, bytes: characters } };
  }

  /**
   * Reads a source and stores its text.
   * @throws ExtractionError; MissingResourceError; MissingBlobError; errors of the pool
   */
  extract(
    document: Live,
    job: ExtractionJob,
    reading: ReadingOptions,
  ): Promise<ExtractedText | ReadingRefusal | DeferredReading> {
    return this.#read(job, reading, (found, output) => this.#stored(document, found as FinalAnswer, output));
  }

  /** As `extract`, of what was fetched from a URL. */
  async extractPage(
    document: Live,
    { path, bytes, ...page }: FetchedFile,
    reading: ReadingOptions,
  ): Promise<ExtractedText | ReadingRefusal | DeferredReading | NextPart> {
    const input = { path };
    const { contentType } = page;
    const detected = await detectKind({ fileName: null, contentType, bytes: await headOf(input, HEAD_BYTES) });
    const demands = demandsOf('kind' in detected ? detected.kind : null);
    const task = { task: 'extract-page', ...page } as const;
    const job: ExtractionJob = {
      task,
      input,
      bytes,
      ...demands,
      ...(reading.keeper && { source: await hashOf(path) }),
    };
    return this.#read<ExtractedText | ReadingRefusal | NextPart>(job, reading, async (found, output) => {
      if (found.outcome !== 'next') return this.#stored(document, found, output);
      return { next: found.address, before: found.before };
    });
  }

  async #stored(document: Live, found: FinalAnswer, output: string): Promise<ExtractedText | ReadingRefusal> {
    if (found.outcome === 'url') return urlTooLong(document);
    if (found.outcome === 'unsupported') return unsupported(found.reason, found.type);
    if (found.outcome === 'unavailable') {
      return { refused: { code: 'fetch_failed', message: found.reason, type: found.type } };
    }
    const { characters, written } = found;
    const text = written && (await this.#texts.storeWritten(document.organization, document.id, output, written));
    return { payload: await extractedPayload(document, { ...found, text }, this.#texts), characters };
  }

  async #fileSource(file: FileRef): Promise<DocumentSource> {
    const { blob, bytes, name: fileName, contentType, fileType, mimeType } = file;
    const upload = { fileName, contentType, fileType, mimeType };
    const input = await blobInput(this.#blobs, blob);
    const detected = await detectKind({ ...upload, bytes: await headOf(input, HEAD_BYTES) });
    const isSure = bytes <= HEAD_BYTES || !('isUnsure' in detected);
    if ('unsupported' in detected && isSure) return unsupported(detected.unsupported, detected.type);
    const job: ExtractionJob = { task: { task: 'extract-file', upload }, input, bytes, source: blob };
    if (!('kind' in detected)) return { job: { ...job, ...demandsOf(null) } };
    return { job: { ...job, ...demandsOf(detected.kind), type: detected.type } };
  }

  /** Runs a job that reads a file. If its text depends on pictures, these are read, and then the file again. */
  async #read<T>(
    job: ExtractionJob,
    { isBrief = false, keeper, ...run }: ReadingOptions,
    use: (answer: FileAnswer, output: string) => Promise<T>,
  ): Promise<T | DeferredReading> {
    if (isBrief && job.long) return { long: job.long };
    if (job.long === 'transcribe') {
      return this.#jobs.transcribe(job, { ...run, keeper }, ({ answer, output }) =>
        use(answer as unknown as FileAnswer, output),
      );
    }
    const whole = isBrief ? job : { ...job, bytes: LONG };
    const first = await this.#jobs
      .run(whole, { ...run, isBrief }, async ({ answer, output }) => {
        const found = answer as unknown as ExtractionAnswer;
        return found.outcome === 'pictures' ? found : { used: await use(found, output) };
      })
      .catch((error: unknown) => {
        if (!hasCode(error, 'job_slow')) throw error;
        return null;
      });
    if (first !== null && 'used' in first) return first.used;
    if (first === null || isBrief) return { long: 'recognize' };
    const { input, task, source } = job;
    const pictures = await this.#jobs.readPictures({ ...first, input, source }, { ...run, keeper });
    return this.#jobs.run({ ...whole, task: { ...task, pictures } as typeof task }, run, ({ answer, output }) =>
      use(answer as unknown as FileAnswer, output),
    );
  }
}

/** Null: of a container, whose kind only the whole file shows. */
const demandsOf = (kind: string | null) => ({ limits: limitsOf(kind), long: kind === null ? null : longWorkOf(kind) });

/**
 * Markup, front matter and notebooks are read by parsers of others, which are kept away from the threads that answer requests.
 * `<|` begins a transcript.
 */
const isMarkup = (text: string): boolean =>
  /^\s*(?:<(?!\|)|---|\+\+\+)/.test(text) || (/^\s*\{/.test(text) && text.includes('"nbformat"'));

const unsupported = (message: string, type: string): ReadingRefusal => ({
  refused: { code: 'unsupported_type', message, type },
});

const urlTooLong = ({ type }: Live): ReadingRefusal => ({
  refused: { code: 'fetch_refused', message: URL_TOO_LONG, type },
});

const URL_TOO_LONG = `The URL is longer than ${MAX_URL} characters and is not fetched. Send a shorter address, or the text of the page.`;
