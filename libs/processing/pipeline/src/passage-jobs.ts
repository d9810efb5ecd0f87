import { readFile } from 'node:fs/promises';
import {
  type ChunkRef,
  type DocumentTexts,
  type Live,
  type MemoryRef,
  type Pieces,
  type TextRef,
  textLength,
} from '#features/documents';
import { giveWayToRequests, type Section } from '#platform/kernel';
import type { BlobStore } from '#ports/blobs';
import { newUnitKey, type Passages, splitText, type WrittenLists } from '#processing/extraction';
import { type ExtractionJob, ExtractionJobs, type ExtractionJobsOptions, type JobRun } from './extraction-jobs.ts';
import { charactersOf, textInput } from './text-input.ts';

/** Texts up to this long are read in place: a job would cost more than the work. UTF-16 code units. */
export const INLINE_CHARACTERS = 32_000;
/** Longer texts get their ids in the child as well, so that neither text nor passages are read into this process. */
const WHOLE_CHARACTERS = 500_000;

export interface PassageJobsOptions extends ExtractionJobsOptions {
  readonly texts: DocumentTexts;
  readonly blobs: BlobStore;
}

/** Splits texts into passages, long ones in child processes. */
export class PassageJobs {
  readonly #jobs: ExtractionJobs;
  readonly #texts: DocumentTexts;
  readonly #blobs: BlobStore;

  constructor({ texts, blobs, ...jobs }: PassageJobsOptions) {
    this.#jobs = new ExtractionJobs(jobs);
    this.#texts = texts;
    this.#blobs = blobs;
  }

  /**
   * Finds the passages of the extracted text. Null: no extracted text.
   * @param chunkTokens maximum size of a chunk
   * @throws MissingBlobError; errors of the pool
   */
  async split(document: Live, chunkTokens: number, run: JobRun): Promise<Passages | null> {
    const parts = extractedParts(document);
    if (parts === null) return null;
    const sections = await sectionsOf(document, this.#texts);
    const borders = await this.#bordersOf(document);
    if (charactersOf(parts) <= INLINE_CHARACTERS) {
      const text = (await this.#texts.extracted(document)) ?? '';
      await giveWayToRequests();
      return splitText(text, chunkTokens, sections, borders);
    }
    const { input, encoding, characters } = await textInput(this.#texts, this.#blobs, parts);
    return this.#jobs.run(
      { task: { task: 'split', encoding, chunkTokens, sections, borders }, input, bytes: characters },
      run,
      async ({ output }) => JSON.parse(await readFile(output, 'utf8')) as Passages,
    );
  }

  /**
   * Finds the passages of a very long text, gives them ids and stores their lists, all in a child.
   * @param chunkTokens maximum size of a chunk
   * @returns null for a shorter text
   * @throws as `split`
   */
  async formPieces(document: Live, chunkTokens: number, run: JobRun): Promise<Pieces | null> {
    const { organization, id, taskType } = document;
    const parts = extractedParts(document);
    if (parts === null || charactersOf(parts) <= WHOLE_CHARACTERS) return null;
    const { input, encoding, characters } = await textInput(this.#texts, this.#blobs, parts);
    const unitKey = document.unitKey ?? newUnitKey();
    const withMemories = taskType === 'memory';
    const sections = await sectionsOf(document, this.#texts);
    const task: ExtractionJob['task'] = {
      task: 'split-with-ids',
      encoding,
      chunkTokens,
      sections,
      borders: await this.#bordersOf(document),
      unitKey,
      withMemories,
    };
    return this.#jobs.run({ task, input, bytes: characters }, run, async ({ answer, output: path }) => {
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

  async #bordersOf({ extractedBorders }: Live): Promise<readonly number[]> {
    return extractedBorders === null ? [] : this.#texts.readList(extractedBorders);
  }
}

/** Where the parts of a text stand in its source. Texts that were added to a file are on none of its pages. */
export async function sectionsOf({ sections, content }: Live, texts: DocumentTexts): Promise<readonly Section[]> {
  if (!sections) return [];
  const ofFile = await texts.readList(sections);
  if (!('parts' in content)) return ofFile;
  const [read] = content.parts;
  return read === undefined || content.parts.length === 1 ? ofFile : [...ofFile, [textLength(read), {}, null]];
}

function extractedParts({ extracted, content }: Live): readonly TextRef[] | null {
  if (extracted !== 'content') return extracted && [extracted];
  return 'parts' in content ? content.parts : null;
}
