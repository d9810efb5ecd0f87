import type { NameInTags } from '#features/documents';
import type { NewText } from './add-documents.command.ts';

/** Items that concern one document, in the order in which they are applied. */
export interface Group {
  /** By which the items name their document, with the tags that they name. Null: a document of its own. */
  readonly name: NameInTags | null;
  readonly items: readonly [Item, ...Item[]];
}

export interface Item {
  /** Place in the request, from 0. */
  readonly index: number;
  readonly document: NewText;
}

/**
 * Orders items by their documentDate, oldest first and those without a date last, and puts items with the same customId and
 * the same tags together. Items that do not differ in this keep the order of the request.
 */
export function groupItems(items: readonly Item[]): readonly Group[] {
  const dated = items.map((item) => ({ item, at: timeOf(item.document.documentDate) }));
  dated.sort((a, b) => (a.at === b.at ? 0 : a.at - b.at));
  const groups = new Map<string, { name: NameInTags | null; items: [Item, ...Item[]] }>();
  for (const { item } of dated) {
    const { customId, tags } = item.document;
    const key = JSON.stringify(customId === null ? item.index : [customId, ...[...tags].sort()]);
    const group = groups.get(key);
    if (group) group.items.push(item);
    else groups.set(key, { name: customId === null ? null : { customId, tags }, items: [item] });
  }
  return [...groups.values()];
}

/**
 * Separates groups into rounds, one after the other, in which no customId occurs twice: which document a group concerns can
 * depend on those that the groups before it have begun.
 */
export function roundsOf(groups: readonly Group[]): readonly (readonly Group[])[] {
  const rounds: Group[][] = [];
  const seen = new Map<string, number>();
  for (const group of groups) {
    const { customId } = group.name ?? {};
    const round = customId === undefined ? 0 : (seen.get(customId) ?? 0);
    if (customId !== undefined) seen.set(customId, round + 1);
    rounds[round] ??= [];
    rounds[round].push(group);
  }
  return rounds;
}

/** The metadata that was given last. */
export const lastMetadata = (items: readonly Item[]): NewText['metadata'] =>
  items.findLast(({ document }) => document.metadata !== null)?.document.metadata ?? null;

const timeOf = (date: string | null): number => (date === null ? Number.POSITIVE_INFINITY : Date.parse(date));
