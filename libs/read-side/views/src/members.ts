import type { Scope } from '#platform/kernel';
import type { DocumentRow, Unit } from './documents.ts';
import { leftOutOf } from './pieces.ts';
import type { ViewsReader } from './port.ts';
import type { MemberSortKey } from './repeats.ts';
import { foldedText, statementOf, textHash } from './statements.ts';

/** A memory that says what others say too. */
export interface Member extends MemberSortKey {
  /** Of its first version. */
  readonly id: string;
  /** Equal for memories that say the same (`statementOf`). */
  readonly statement: string;
  /** The document that it was formed from. Null: it was recorded directly. */
  readonly documentId: string | null;
  /** As its document has it. Null: it has a row of its own. */
  readonly passage: { readonly unit: Unit; readonly document: DocumentRow } | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Neither forgotten nor expired. */
  readonly isActive: boolean;
}

/** Returns the document that a memory was formed from, by the row of the memory or of the document. Null: it was recorded directly. */
export function documentOf({ id, memory }: Pick<DocumentRow, 'id' | 'memory'>): string | null {
  return memory === undefined ? id : (memory.documentId ?? null);
}

/** Memories with rows of their own that are looked at. */
const MOST = 10_000;

/**
 * Returns the memories whose present text is one of some texts, in whatever form.
 * @param texts at most 1,100
 * @param now milliseconds since the epoch
 */
export async function membersOf(
  views: Pick<ViewsReader, 'list' | 'passages'>,
  scope: Scope,
  texts: readonly string[],
  now: number,
): Promise<readonly Member[]> {
  const byFolded = new Map(texts.map((text) => [foldedText(text), text]));
  const wanted = [...byFolded.values()];
  if (wanted.length === 0) return [];
  const [{ rows }, passages] = await Promise.all([
    views.list({
      ...{ scope, holds: 'memories', texts: wanted, filter: null, filepath: null, stages: null },
      ...{ sort: 'createdAt', order: 'asc', offset: 0, limit: MOST },
    }),
    views.passages(scope, { texts: wanted }),
  ]);
  const byHash = new Map(wanted.map((text) => [textHash(scope.organization, text), text]));
  const speakers = new Map(passages.map(({ unit }) => [unit.id, unit.speaker]));
  const own = rows.flatMap((row): Member[] => {
    const { memory } = row;
    const text = memory && byHash.get(memory.textHash);
    if (memory === undefined || text === undefined) return [];
    const speaker = (memory.version === 1 && speakers.get(row.id)) || null;
    const { documentId = null, inactiveFrom } = memory;
    const isActive = inactiveFrom === null || inactiveFrom > now;
    return [
      {
        id: row.id,
        statement: statementOf({ text, speaker, document: row }),
        documentId,
        passage: null,
        ordinal: 0,
        createdAt: row.createdAt,
        isActive,
      },
    ];
  });
  const left = new Map<string, ReadonlySet<number>>();
  const ofDocuments = passages.flatMap(({ unit, document }): Member[] => {
    const ordinals = left.get(document.id) ?? new Set(leftOutOf(document.cuts?.leftOut ?? [], 'memory', now));
    left.set(document.id, ordinals);
    // What is left out is forgotten, or has a row of its own.
    if (ordinals.has(unit.ordinal)) return [];
    const { createdAt } = document;
    const { id, ordinal } = unit;
    const statement = statementOf({ ...unit, document });
    const passage = { unit, document };
    return [{ id, statement, documentId: document.id, passage, ordinal, createdAt, isActive: true }];
  });
  return [...own, ...ofDocuments];
}
