import type { RowsChange } from '../../../rows.ts';
import { toColumn } from '../../../text.ts';
import { onEveryCopy } from '../broadcast.ts';
import type { Connection } from '../connection.ts';
import { getRows } from '../get-rows.ts';
import { NO_FLOOR, type StreamFloor, streamKey } from '../row-ids.ts';
import { type BulkItem, type BulkLimits, writeBulk } from './bulk.ts';
import { rowItems } from './row-changes.ts';

const REFRESH_TIMEOUT_MS = 60_000;
const REMOVED_AT_ONCE = 1_000;

/**
 * Writes the rows of one read model. One batch at a time: what a batch has found out about a stream holds until it is
 * written, whichever of the projection and the building of the read model comes next.
 */
export class RowIndexWriter {
  readonly #connection: Connection;
  readonly #index: string;
  readonly #limits: BulkLimits;
  readonly #now: () => number;
  #latest: Promise<unknown> = Promise.resolve();
  /** Holds rows that searches may not find yet. */
  #unseen = false;

  constructor(connection: Connection, index: string, limits: BulkLimits, now: () => number) {
    this.#connection = connection;
    this.#index = index;
    this.#limits = limits;
    this.#now = now;
  }

  /** @throws as `writeBulk` */
  write(changes: readonly RowsChange[]): Promise<void> {
    return this.#inTurn(() => this.#write(changes));
  }

  /** Lets searches find what was written. */
  show(): Promise<void> {
    return this.#inTurn(() => this.#refresh());
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#latest.then(work);
    this.#latest = turn.catch(() => undefined);
    return turn;
  }

  async #write(changes: readonly RowsChange[]): Promise<void> {
    // Of several changes of a stream the later one needs to know what the one before has written.
    for (const round of oncePerStream(changes)) await this.#writeRound(round);
  }

  async #writeRound(changes: readonly RowsChange[]): Promise<void> {
    const keys = changes.map(({ stream }) => streamKey(stream));
    const docs = keys.map((key) => ({ _id: key, routing: key, _source: ['floor', 'count', 'more'] }));
    const stored = new Map<string, StreamFloor>();
    for (const { _id, _source } of await getRows<StreamFloor>(this.#connection, this.#index, docs)) {
      if (_source !== undefined) stored.set(_id, _source);
    }
    const items: BulkItem[] = [];
    for (const [i, change] of changes.entries()) {
      const { items: own, removeBelow } = rowItems(
        change,
        stored.get(keys[i] as string) ?? NO_FLOOR,
        this.#index,
        this.#now(),
      );
      items.push(...own);
      if (removeBelow !== null) items.push(...(await this.#tombstones(change, keys[i] as string, removeBelow)));
    }
    if (items.length === 0) return;
    this.#unseen = true;
    await writeBulk(this.#connection, items, this.#limits);
  }

  /** Of the rows of a stream that were added one by one; only a search knows them. */
  async #tombstones({ stream, model }: RowsChange, key: string, below: number): Promise<BulkItem[]> {
    await this.#refresh();
    const items: BulkItem[] = [];
    const json = JSON.stringify({ deletedAt: this.#now() });
    for (let after: readonly (string | number)[] | undefined; ; ) {
      const body = {
        query: { bool: { filter: [{ term: { stream: toColumn(stream) } }, { range: { revision: { lt: below } } }] } },
        size: REMOVED_AT_ONCE,
        _source: ['organization'],
        sort: [{ revision: 'asc' }, { place: 'asc' }],
        ...(after && { search_after: after }),
      };
      const [answer] = await this.#connection.search([{ index: this.#index, body }]);
      const hits = answer?.hits.hits ?? [];
      for (const { _id: id } of hits) {
        // The rows at the floor are replaced under their ids.
        if (id.startsWith(`${key}/f/`)) continue;
        items.push({
          index: this.#index,
          id,
          routing: key,
          version: below,
          json,
          owner: { organization: '', id: stream, model },
        });
      }
      after = hits.at(-1)?.sort;
      if (hits.length < REMOVED_AT_ONCE || after === undefined) return items;
    }
  }

  async #refresh(): Promise<void> {
    if (!this.#unseen) return;
    await onEveryCopy(this.#connection, `/${this.#index}/_refresh`, { timeout: REFRESH_TIMEOUT_MS });
    this.#unseen = false;
  }
}

/** Splits changes so that no part names a stream twice. */
function oncePerStream(changes: readonly RowsChange[]): RowsChange[][] {
  const rounds: RowsChange[][] = [];
  const seen = new Map<string, number>();
  for (const change of changes) {
    const round = seen.get(change.stream) ?? 0;
    seen.set(change.stream, round + 1);
    rounds[round] ??= [];
    rounds[round].push(change);
  }
  return rounds;
}
