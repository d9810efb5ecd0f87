/** By what memories that say the same are ordered. */
export interface MemberSortKey {
  /** Later times are greater. */
  readonly createdAt: number | string;
  /** Of the unit. */
  readonly ordinal: number;
  /** Decides between memories with the same time and ordinal. */
  readonly id: string;
}

/** A memory that may have the same statement as others. */
interface Repeat<Document> extends MemberSortKey {
  readonly document: Document;
  /** Equal for memories of one scope with the same statement. */
  readonly statement: string;
}

/** Memories that say the same as others. */
export interface Repeats<Document> {
  /** Ordinals of all but the first one of those that say the same, by their documents. */
  readonly later: ReadonlyMap<Document, ReadonlySet<number>>;
  /** Ids of the first ones. */
  readonly firsts: ReadonlySet<string>;
}

export function repeatsOf<Document>(all: readonly Repeat<Document>[]): Repeats<Document> {
  const later = new Map<Document, Set<number>>();
  const firsts = new Set<string>();
  for (const equal of Map.groupBy(all, ({ statement }) => statement).values()) {
    if (equal.length === 1) continue;
    const [first, ...others] = equal.sort(compareMembers) as [Repeat<Document>, ...Repeat<Document>[]];
    firsts.add(first.id);
    for (const { document, ordinal } of others) later.set(document, (later.get(document) ?? new Set()).add(ordinal));
  }
  return { later, firsts };
}

export const noRepeats = <Document>(): Repeats<Document> => ({ later: new Map(), firsts: new Set() });

/** Counts ordinals. */
export const countOfOrdinals = (ordinals: ReadonlyMap<unknown, ReadonlySet<number>>): number =>
  [...ordinals.values()].reduce((sum, { size }) => sum + size, 0);

/** Marks a memory that others repeat. */
export const repeatedIn = <T extends { readonly unit: { readonly id: string } }>(
  { firsts }: Repeats<unknown>,
  found: T,
): T & { readonly isRepeated?: true } => (firsts.has(found.unit.id) ? { ...found, isRepeated: true } : found);

/**
 * Compares memories that say the same: lists and searches show the first one. The order is the same in every store, also of
 * those that were created in the same millisecond.
 */
export function compareMembers(a: MemberSortKey, b: MemberSortKey): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.ordinal - b.ordinal || (a.id < b.id ? -1 : 1);
}
