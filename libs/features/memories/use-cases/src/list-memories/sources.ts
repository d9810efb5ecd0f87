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

interface Listed {
  readonly unit: Unit;
  readonly document: DocumentRow;
  readonly isRepeated?: true;
}

/** Ids of the documents that say what a memory says, the first one first. */
export type DocumentsThatSay = (listed: Listed) => readonly string[];

/** The document of a memory alone. */
export function ownDocument(row: DocumentRow): readonly string[] {
  const id = documentOf(row);
  return id === null ? [] : [id];
}

/**
 * Looks up which documents say what some memories say.
 * @param memories at most 1,100
 * @param now milliseconds since the epoch
 */
export async function documentsThatSay(
  views: ViewsReader,
  scope: Scope,
  memories: readonly Listed[],
  now: number,
): Promise<DocumentsThatSay> {
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
