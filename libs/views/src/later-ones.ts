/** A memory that may say what others say. */
export interface Saying<Document> {
  readonly document: Document;
  readonly ordinal: number;
  /** Of the unit. */
  readonly id: string;
  /** Later times are greater. */
  readonly createdAt: number | string;
  /** Equal for memories that say the same, in one scope. */
  readonly statement: string;
}

/** Returns the ordinals of all but the first one of those that say the same, by their documents. */
export function laterOnes<Document>(all: readonly Saying<Document>[]): ReadonlyMap<Document, ReadonlySet<number>> {
  const later = new Map<Document, Set<number>>();
  for (const equal of Map.groupBy(all, ({ statement }) => statement).values()) {
    const [, ...others] = equal.sort(inOrder);
    for (const { document, ordinal } of others) later.set(document, (later.get(document) ?? new Set()).add(ordinal));
  }
  return later;
}

/** The same order in every store, also of those that were created in the same millisecond. */
function inOrder(a: Saying<unknown>, b: Saying<unknown>): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.ordinal - b.ordinal || (a.id < b.id ? -1 : 1);
}
