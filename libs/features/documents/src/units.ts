import type { Location } from '#platform/kernel';
import type { Unit, UnitKind } from '#read-side/views';
import type { ChunkRef, MemoryRef } from './events.ts';
import type { Live } from './state.ts';
import type { DocumentTexts } from './texts.ts';

/**
 * The searchable pieces of a document, by kind, then in order. Empty as long as they are not formed.
 * @param isWanted which of them. Default: all
 */
export async function unitsOf(
  document: Live,
  texts: DocumentTexts,
  isWanted: (kind: UnitKind, id: string) => boolean = () => true,
): Promise<Unit[]> {
  if (document.chunks === null || document.memories === null) return [];
  const [text, chunks, memories] = await Promise.all([
    texts.extracted(document),
    texts.readList(document.chunks),
    texts.readList(document.memories),
  ]);
  if (text === null) return [];
  const units: Unit[] = [];
  const add = (kind: UnitKind, refs: readonly (ChunkRef | MemoryRef)[]) => {
    refs.forEach((ref, ordinal) => {
      const [id, start, end] = ref;
      if (isWanted(kind, id)) units.push({ id, kind, ordinal, text: text.slice(start, end), ...restOf(kind, ref) });
    });
  };
  add('chunk', chunks);
  add('memory', memories);
  return units;
}

/** Returns the names of the blobs that `unitsOf` reads. */
export function unitBlobs({ chunks, memories, extracted, content }: Live): string[] {
  const parts = extracted !== 'content' ? [extracted] : 'parts' in content ? content.parts : [];
  const refs = [...parts, chunks, memories];
  return [...new Set(refs.flatMap((ref) => (ref !== null && 'blob' in ref ? [ref.blob] : [])))];
}

/** What a reference holds behind the range of the passage. */
function restOf(kind: UnitKind, ref: ChunkRef | MemoryRef): { speaker: string | null; location?: Location } {
  const [, , , fourth = null, fifth] = ref as readonly [string, number, number, (Location | string | null)?, Location?];
  const location = kind === 'chunk' ? (fourth as Location | null) : fifth;
  return { speaker: kind === 'chunk' ? null : (fourth as string | null), ...(location && { location }) };
}

/** The text of a document and the places of its units. */
export type UnitSource = Pick<Live, 'chunks' | 'memories' | 'extracted' | 'content'>;

/**
 * Opens the units of one kind, in order. Text and list are read along with the iteration, and neither is held whole.
 * @throws MissingBlobError when text or list is gone; during the iteration also BlobInterruptedError
 */
export async function unitsAlong(
  document: UnitSource,
  kind: UnitKind,
  texts: DocumentTexts,
): Promise<AsyncIterable<Unit> | null> {
  const { chunks, memories, extracted, content } = document;
  const ofContent = 'parts' in content ? content.parts : null;
  const parts = extracted === null ? null : extracted === 'content' ? ofContent : [extracted];
  if (chunks === null || memories === null || parts === null) return null;
  const passages = await texts.items<ChunkRef | MemoryRef>(kind === 'chunk' ? chunks : memories);
  const text = new TextAlong(await texts.pieces(parts));
  return (async function* () {
    let ordinal = 0;
    try {
      for await (const ref of passages) {
        const [id, start, end] = ref;
        yield { id, kind, ordinal, text: await text.slice(start, end), ...restOf(kind, ref) };
        ordinal += 1;
      }
    } finally {
      await text.close();
    }
  })();
}

/** Characters behind the last slice that are kept until they are removed together. */
const KEPT = 100_000;

/** A text that is read as far as slices are taken from it, each of which begins behind the beginning of the one before. */
class TextAlong {
  readonly #pieces: AsyncIterator<string>;
  #read = '';
  /** Where `#read` begins. */
  #from = 0;

  constructor(pieces: AsyncIterable<string>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** Call it at the end, also of an iteration that ends early. */
  async close(): Promise<void> {
    await this.#pieces.return?.();
  }

  async slice(start: number, end: number): Promise<string> {
    if (start < this.#from) throw new Error('the passages are not in the order of the text');
    if (start - this.#from > KEPT) {
      this.#read = this.#read.slice(start - this.#from);
      this.#from = start;
    }
    while (this.#from + this.#read.length < end) {
      const { done, value } = await this.#pieces.next();
      if (done === true) break;
      this.#read += value;
    }
    return this.#read.slice(start - this.#from, end - this.#from);
  }
}
