import type { VectorSource } from '#features/vector-spaces/model';
import { contentHash } from '#platform/kernel';
import type { VectorStore } from '#ports/vector-store';

/** How far the tokens of the documents in a space are stored, for those that were there when storing was switched on. */
export type TokenFilling =
  | { readonly state: 'none' | 'complete' }
  /** @param documents that are done; after a restart those before it count again */
  | { readonly state: 'begun'; readonly documents: number };

const keyOf = (space: string, state: 'begun' | 'complete'): string => contentHash('tokens', space, state);
/** No stream of a document has this name. */
const ownerOf = (space: string): string => `tokens of ${space}`;

export async function readTokenFilling(vectors: VectorSource, space: string): Promise<TokenFilling> {
  const [begun, complete] = await vectors.get([keyOf(space, 'begun'), keyOf(space, 'complete')]);
  if (complete) return { state: 'complete' };
  if (!begun) return { state: 'none' };
  return { state: 'begun', documents: Buffer.from(begun).readUInt32LE(0) };
}

/** Records in the vectors themselves how far they have their tokens, so that a copy of them says so too. */
export class TokenProgress {
  readonly #vectors: Pick<VectorStore, 'get' | 'put' | 'release'>;

  constructor(vectors: Pick<VectorStore, 'get' | 'put' | 'release'>) {
    this.#vectors = vectors;
  }

  of(space: string): Promise<TokenFilling> {
    return readTokenFilling(this.#vectors, space);
  }

  /** Tokens may be missing, and those that are there have to be removed when storing is switched off. */
  async begin(space: string, documents: number): Promise<void> {
    const vector = new Uint8Array(4);
    new DataView(vector.buffer).setUint32(0, documents, true);
    await this.#vectors.put(ownerOf(space), [{ key: keyOf(space, 'begun'), vector }]);
  }

  async complete(space: string): Promise<void> {
    await this.#vectors.put(ownerOf(space), [{ key: keyOf(space, 'complete'), vector: Uint8Array.of(1) }]);
  }

  /** Before the first token is removed. */
  async incomplete(space: string): Promise<void> {
    await this.#vectors.release(ownerOf(space), [keyOf(space, 'begun')]);
  }

  /** No tokens are left. */
  async removed(space: string): Promise<void> {
    await this.#vectors.release(ownerOf(space));
  }
}
