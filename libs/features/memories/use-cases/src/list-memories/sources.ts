import type { Scope } from '#platform/kernel';
import {
  compareMembers,
  type DocumentRow,
  documentOf,
  membersOf,
  statementOf,
  type Unit,
  type ViewsReader,
} from '#read-side/views';

/** A memory as the views list it. */
export interface Entry {
  readonly unit: Unit;
  readonly document: DocumentRow;
  readonly isRepeated?: true;
}

/** Returns the ids of the documents of a memory's duplicate group, the first one first. */
export type Sources = (entry: Entry) => readonly string[];

/** Returns the document of a memory alone. */
export function ownDocument(row: DocumentRow): readonly string[] {
  const id = documentOf(row);
  return id === null ? [] : [id];
}

/**
 * Looks up the documents of the duplicate groups of some memories.
 * @param memories at most 1,100
 * @param now milliseconds since the epoch
 */
export async function sourcesOf(
  views: ViewsReader,
  scope: Scope,
  memories: readonly Entry[],
  now: number,
): Promise<Sources> {
  const texts = memories.filter(({ isRepeated }) => isRepeated).map(({ unit }) => unit.text);
  const members = (await membersOf(views, scope, texts, now)).filter((member) => member.isActive);
  const byStatement = Map.groupBy(members.sort(compareMembers), ({ statement }) => statement);
  return ({ unit, document, isRepeated }) => {
    const own = ownDocument(document);
    if (!isRepeated) return own;
    const equal = byStatement.get(statementOf({ ...unit, document })) ?? [];
    return [...new Set([...equal.flatMap(({ documentId }) => documentId ?? []), ...own])];
  };
}
