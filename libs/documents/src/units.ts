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
