import type { Aliases } from '../aliases.ts';
import { onEveryCopy } from '../broadcast.ts';
import type { Connection } from '../connection.ts';
import type { UnitExtent } from '../documents.ts';

const REFRESH_TIMEOUT_MS = 60_000;

interface Bucket {
  readonly key: string;
  readonly kinds: { readonly buckets: readonly { readonly key: string; readonly last: { readonly value: number } }[] };
}

/**
 * Finds units that their document does not count. A writer leaves them that ends, or fails, after it has written units and
 * before it has written their document. Searches return none of them, but they count in the statistics.
 */
export class StrayUnits {
  readonly #connection: Connection;
  readonly #index: string;
  /** Any document may have some: of a former writer. */
  #anywhere: boolean;
  /** Documents whose units this writer has begun to write. */
  readonly #unfinished = new Set<string>();

  /** Looks whether former writers have left rows. Call it when they can write no more. @throws ViewsUnreachableError */
  static async open(connection: Connection, aliases: Aliases): Promise<StrayUnits> {
    const index = aliases.of('units');
    const anywhere = await wasWritten(connection, index);
    if (anywhere) await refresh(connection, index);
    return new StrayUnits(connection, index, anywhere);
  }

  private constructor(connection: Connection, index: string, anywhere: boolean) {
    this.#connection = connection;
    this.#index = index;
    this.#anywhere = anywhere;
  }

  /** Every document that former writers may have begun to write has been written since. */
  caughtUp(): void {
    this.#anywhere = false;
  }

  begin(keys: readonly string[]): void {
    for (const key of keys) this.#unfinished.add(key);
  }

  end(keys: readonly string[]): void {
    for (const key of keys) this.#unfinished.delete(key);
  }

  /** Returns how many unit rows there are of those documents that may have more than they count. */
  async extents(keys: readonly string[]): Promise<ReadonlyMap<string, UnitExtent>> {
    const unfinished = keys.filter((key) => this.#unfinished.has(key));
    if (unfinished.length > 0) await refresh(this.#connection, this.#index);
    const suspect = this.#anywhere ? keys : unfinished;
    if (suspect.length === 0) return new Map();
    const kinds = { terms: { field: 'kind' }, aggs: { last: { max: { field: 'ordinal' } } } };
    const body = {
      ...{ size: 0, track_total_hits: false, query: { bool: { filter: [{ terms: { document: suspect } }] } } },
      aggs: { by: { terms: { field: 'document', size: suspect.length }, aggs: { kinds } } },
    };
    const [answer] = await this.#connection.search([{ index: this.#index, body }]);
    const buckets = (answer?.aggregations?.by?.buckets ?? []) as readonly Bucket[];
    return new Map(buckets.map(({ key, kinds: { buckets: own } }) => [key, extentOf(own)]));
  }
}

function extentOf(kinds: Bucket['kinds']['buckets']): UnitExtent {
  const of = (kind: string) => (kinds.find(({ key }) => key === kind)?.last.value ?? -1) + 1;
  return { chunks: of('chunk'), memories: of('memory') };
}

const refresh = (connection: Connection, index: string): Promise<void> =>
  onEveryCopy(connection, `/${index}/_refresh`, { timeout: REFRESH_TIMEOUT_MS });

/** Whether a row was ever written to an index, whether searches find it or not. */
async function wasWritten(connection: Connection, index: string): Promise<boolean> {
  const path = `/${index}/_stats/docs`;
  const query = { level: 'shards', filter_path: 'indices.*.shards.*.seq_no.max_seq_no' };
  type Shards = Readonly<Record<string, readonly { readonly seq_no?: { readonly max_seq_no: number } }[]>>;
  const { indices = {} } = await connection.call<{ indices?: Readonly<Record<string, { readonly shards: Shards }>> }>({
    ...{ method: 'GET', path, query },
  });
  const copies = Object.values(indices).flatMap(({ shards }) => Object.values(shards).flat());
  return copies.length === 0 || copies.some(({ seq_no }) => seq_no === undefined || seq_no.max_seq_no >= 0);
}
