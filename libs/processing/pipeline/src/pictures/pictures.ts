import { ConversationPictures, type DocumentTexts } from '#features/documents';
import type { BlobStore } from '#ports/blobs';
import { detectKind, ExtractionError } from '#processing/extraction';
import { ExtractionJobs, type ExtractionJobsOptions, type JobRun } from '../extraction-jobs.ts';
import { blobInput, headOf } from '../text-input.ts';

/** What a picture is detected by. */
const HEAD_BYTES = 4_096;
const NO_PICTURE = 'This is not a picture of a known kind.';

export interface PicturesOptions extends ExtractionJobsOptions {
  readonly texts: DocumentTexts;
  readonly blobs: BlobStore;
}

interface Picture {
  /** As its source says. */
  readonly contentType: string | null;
  /** Where its bytes are. */
  readonly from: { readonly blob: string } | { readonly path: string };
}

/** The pictures of conversations: which are there, and what is on them. */
export class Pictures {
  readonly known: ConversationPictures;
  readonly #jobs: ExtractionJobs;
  readonly #blobs: BlobStore;

  constructor({ texts, blobs, ...jobs }: PicturesOptions) {
    this.known = new ConversationPictures(blobs, texts);
    this.#jobs = new ExtractionJobs(jobs);
    this.#blobs = blobs;
  }

  /**
   * Reads the text on a picture in a child process; of a scan that on its first page. Empty: there is none.
   * @throws ExtractionError; MissingResourceError; MissingBlobError; errors of the pool
   */
  async wordsOf({ contentType, from }: Picture, run: JobRun): Promise<string> {
    const input = 'path' in from ? from : await blobInput(this.#blobs, from.blob);
    const detected = await detectKind({ fileName: null, contentType, bytes: await headOf(input, HEAD_BYTES) });
    if (!('kind' in detected) || detected.type !== 'image') throw new ExtractionError(NO_PICTURE, 'unsupported_type');
    const { 1: words = '' } = await this.#jobs.readPictures({ kind: detected.kind, names: ['1'], input }, run);
    return words;
  }
}
