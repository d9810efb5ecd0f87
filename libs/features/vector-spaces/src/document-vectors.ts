import { type DocumentRepository, type DocumentTexts, type Live, unitsOf } from '#features/documents';
import { hasCode } from '#platform/kernel';
import type { VectorStore } from '#ports/vector-store';
import type { Unit } from '#read-side/views';

/** Documents with the units that are embedded, and their vectors. */
export interface DocumentVectors {
  readonly documents: DocumentRepository;
  readonly texts: DocumentTexts;
  readonly vectors: VectorStore;
}

/** Null: the texts were removed with the document, or are lost, which the document shows. */
export async function storedUnits({ texts }: DocumentVectors, document: Live): Promise<readonly Unit[] | null> {
  try {
    return await unitsOf(document, texts);
  } catch (error) {
    if (hasCode(error, 'blob_missing', 'blob_damaged')) return null;
    throw error;
  }
}
