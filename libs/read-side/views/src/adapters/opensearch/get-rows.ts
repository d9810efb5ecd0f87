import { type Connection, type Failure, failureOf } from './connection.ts';

const INTERNAL = 500;
/** Rows asked for by their ids in one call. */
const AT_ONCE = 1_000;

export interface FetchedRow<Source> {
  readonly _id: string;
  readonly found: boolean;
  readonly _version?: number;
  readonly _source?: Source;
}

/** Returns rows as they were written last, whether searches find them yet or not; those that do not exist are left out. */
export async function getRows<Source>(
  connection: Connection,
  index: string,
  docs: readonly { readonly _id: string }[],
): Promise<FetchedRow<Source>[]> {
  const found: FetchedRow<Source>[] = [];
  for (let from = 0; from < docs.length; from += AT_ONCE) {
    const answer = await connection.call<{ docs: readonly (FetchedRow<Source> & Failure)[] }>({
      ...{ method: 'POST', path: `/${index}/_mget`, body: { docs: docs.slice(from, from + AT_ONCE) } },
    });
    for (const got of answer.docs) {
      if (got.error !== undefined) throw failureOf(INTERNAL, got);
      if (got.found) found.push(got);
    }
  }
  return found;
}
