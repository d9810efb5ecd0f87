import { isDeepStrictEqual } from 'node:util';
import type { Scope } from '#platform/kernel';
import type { StreamRow, ViewsReader } from '#read-side/views';

/** The first row in which two views of the same log differ. */
export interface RowDifference {
  readonly stream: string;
  /** Null: absent. */
  readonly serving: StreamRow | null;
  readonly rebuilt: StreamRow | null;
}

const PAGE = 500;

/** Compares all rows of a read model. @returns null: there is no difference */
export async function compareRows(
  serving: ViewsReader,
  rebuilt: ViewsReader,
  scope: Scope,
  model: string,
): Promise<RowDifference | null> {
  for (let offset = 0; ; offset += PAGE) {
    const query = { model, scope, equals: {}, sort: null, order: 'asc', offset, limit: PAGE } as const;
    const [{ rows: a }, { rows: b }] = await Promise.all([serving.rows(query), rebuilt.rows(query)]);
    const length = Math.max(a.length, b.length);
    for (let i = 0; i < length; i++) {
      const [left = null, right = null] = [a[i], b[i]];
      if (isDeepStrictEqual(left, right)) continue;
      return { stream: (left ?? right)?.stream ?? '', serving: left, rebuilt: right };
    }
    if (length < PAGE) return null;
  }
}
