import type { Scope } from '#kernel';
import { type DocumentRow, membersOf, statementOf, type Unit, type ViewsReader } from '#views';

interface Found {
  readonly unit: Unit;
  readonly document: DocumentRow;
}

/** Ids of the documents that say what a memory says, the first one first. */
export type DocumentsThatSay = (found: Found) => readonly string[];

/** The document of a memory alone. */
export function ownDocument({ id, memory }: DocumentRow): readonly string[] {
  if (memory === undefined) return [id];
  return memory.documentId === undefined ? [] : [memory.documentId];
}

/**
 * Looks up which documents say what some memories say.
 * @param memories at most 1,100
 * @param now milliseconds since the epoch
 */
export async function documentsThatSay(
  views: ViewsReader,
  scope: Scope,
  memories: readonly Found[],
  now: number,
): Promise<DocumentsThatSay> {
  const isActive = ({ document: { memory } }: Found) => memory?.inactiveFrom == null || memory.inactiveFrom > now;
  const texts = memories.filter(isActive).map(({ unit }) => unit.text);
  const members = (await membersOf(views, scope, texts, now)).filter((member) => member.isActive);
  members.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  const byStatement = Map.groupBy(members, ({ statement }) => statement);
  return (found) => {
    const own = ownDocument(found.document);
    if (!isActive(found)) return own;
    const equal = byStatement.get(statementOf({ ...found.unit, document: found.document })) ?? [];
    return [...new Set([...equal.flatMap(({ documentId }) => documentId ?? []), ...own])];
  };
}
