import { wideText } from '#extraction';
import { contentHash } from '#kernel';
import type { Unit } from '#views';
import type { Live } from './state.ts';
import type { DocumentTexts } from './texts.ts';

/** The searchable pieces of a document, by kind, then in order. Empty as long as they are not formed. */
export async function unitsOf(document: Live, texts: DocumentTexts): Promise<Unit[]> {
  if (document.chunks === null || document.memories === null) return [];
  const [text, chunks, memories] = await Promise.all([
    texts.extracted(document),
    texts.readList(document.chunks),
    texts.readList(document.memories),
  ]);
  if (text === null) return [];
  return [
    ...chunks.map(([id, start, end], ordinal) => ({
      id,
      kind: 'chunk' as const,
      ordinal,
      text: text.slice(start, end),
      speaker: null,
    })),
    ...memories.map(([id, start, end, speaker], ordinal) => ({
      id,
      kind: 'memory' as const,
      ordinal,
      text: text.slice(start, end),
      speaker,
    })),
  ];
}

/** What is embedded of one unit: the unit alone, and with its neighbours and the document's date. */
export interface EmbeddingTexts {
  readonly bare: string;
  readonly wide: string;
}

/** In the order of `units`, which is that of `unitsOf`. */
export function embeddingTexts(units: readonly Unit[], documentDate: string | null): EmbeddingTexts[] {
  return (['chunk', 'memory'] as const).flatMap((kind) => {
    const texts = units.filter((unit) => unit.kind === kind).map((unit) => unit.text);
    return texts.map((bare, i) => ({ bare, wide: wideText(texts, i, documentDate) }));
  });
}

/** Where the vector of a text stands in the cache; nothing is shared across organizations. */
export const vectorKey = (space: string, organization: string, text: string): string =>
  contentHash(space, organization, text);
