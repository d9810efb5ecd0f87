import type { Position } from '#event-store';
import { spaceOfRow } from '../../one-space.ts';
import type { DocumentChange, ViewsWriter } from '../../port.ts';
import { BULK_LIMITS, type BulkItem, type BulkLimits, writeBulk } from './bulk.ts';
import { folded, itemsOf, movesUnits, type Pending, type Stored, unitIds } from './changes.ts';
import { Connection, type Failure, failureOf } from './connection.ts';
import type { DocumentSource } from './documents.ts';
import { FencedError } from './errors.ts';
import { Aliases, addSpace, type IndexOptions, prepareIndices, readVectorSpace } from './indices.ts';
import { CheckpointLease } from './lease.ts';
import { type IndexName, PLACED_COLUMNS } from './mappings.ts';
import { purgeViews } from './purge.ts';
import type { StoredUnit } from './units.ts';

export interface OpenSearchWriterOptions extends IndexOptions {
  /** One or several with commas between them. */
  readonly url: string;
  /** Number of the lease under which it writes: of two writers the one with the higher epoch goes on. */
  readonly epoch: number;
  /** Names this process in messages; of two writers of one epoch the first goes on. */
  readonly holder: string;
  readonly bulk?: Partial<BulkLimits>;
  /** Milliseconds since the epoch; the system's unless told. */
  readonly now?: () => number;
}

const INTERNAL = 500;
const REFRESH_TIMEOUT_MS = 60_000;
/** Rows asked for by their ids in one call. */
const GOT_AT_ONCE = 1_000;

interface Got<Source> {
  readonly _id: string;
  readonly found: boolean;
  readonly _version?: number;
  readonly _source?: Source;
}

/**
 * The write side of the views in OpenSearch. A batch is not one transaction there: rows carry the revision of their
 * document as version, so that applying twice or late changes nothing, and the checkpoint is written when all of them can
 * be found.
 */
export class OpenSearchViewsWriter implements ViewsWriter {
  readonly #connection: Connection;
  readonly #aliases: Aliases;
  readonly #lease: CheckpointLease;
  readonly #limits: BulkLimits;
  readonly #now: () => number;
  readonly #madeFor: string | null;
  readonly #spaces = new Set<string>();
  /** Indices that hold rows which searches may not find yet. */
  readonly #unseen = new Set<IndexName>();

  /**
   * Makes the indices where there are none.
   * @throws ViewsShapeError where they are of another version; FencedError where a writer of a higher epoch was here;
   *   ViewsUnreachableError
   */
  static async open(options: OpenSearchWriterOptions): Promise<OpenSearchViewsWriter> {
    const connection = new Connection(options.url);
    try {
      const aliases = new Aliases(options.prefix);
      await prepareIndices(connection, options);
      const lease = await CheckpointLease.take(connection, aliases.of('meta'), options.epoch, options.holder);
      const madeFor = await readVectorSpace(connection, aliases);
      return new OpenSearchViewsWriter(connection, aliases, lease, madeFor, options);
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  private constructor(
    connection: Connection,
    aliases: Aliases,
    lease: CheckpointLease,
    madeFor: string | null,
    { bulk, now = Date.now }: OpenSearchWriterOptions,
  ) {
    this.#connection = connection;
    this.#aliases = aliases;
    this.#lease = lease;
    this.#madeFor = madeFor;
    this.#limits = { ...BULK_LIMITS, ...bulk };
    this.#now = now;
  }

  async checkpoint(): Promise<Position | null> {
    return this.#lease.position;
  }

  vectorSpace(): Promise<string | null> {
    return readVectorSpace(this.#connection, this.#aliases);
  }

  /**
   * Resolves when searches find what was written.
   * @throws RowRejectedError where OpenSearch refuses a row for good; FencedError where another writer has taken over;
   *   ViewsUnreachableError. The batch may be applied again: what was written of it stays, and is not found before.
   */
  async apply(changes: readonly DocumentChange[], checkpoint: Position): Promise<void> {
    await this.bring(changes);
    // Units are found first: a document that is found is never without those that it says it has.
    await this.#show('units');
    await this.#show('documents');
    await this.#lease.write(checkpoint);
  }

  /** @throws as `apply`, but another writer is not noticed: its newer rows stay as they are */
  async bring(changes: readonly DocumentChange[]): Promise<void> {
    const pending = folded(changes);
    if (pending.size > 0) await this.#write([...pending.values()]);
  }

  /**
   * Removes what deletions have left longer than a day ago, and rows that a fenced writer wrote too late. For the process
   * that runs the projection, from time to time.
   */
  async purge(): Promise<void> {
    await purgeViews(this.#connection, this.#aliases, this.#now());
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async #write(pending: readonly Pending[]): Promise<void> {
    // What it has got is for the views that it was opened on; those of another space may have taken their place.
    const space = await this.vectorSpace();
    if (space !== this.#madeFor) throw new FencedError(`the views are of the vector space ${space} by now`);
    await this.#addSpaces(pending);
    const stored = await this.#stored(pending);
    const due = pending.filter(({ key, revision }) => (stored.get(key)?.version ?? -1) <= revision);
    const moved = await this.#movedUnits(due, stored);
    const targets = { documents: this.#aliases.of('documents'), units: this.#aliases.of('units') };
    const now = this.#now();
    const documents: BulkItem[] = [];
    const unseen = this.#unseen;
    const units = function* (): Generator<BulkItem> {
      for (const each of due) {
        for (const item of itemsOf(each, stored.get(each.key), moved.get(each.key) ?? [], targets, now)) {
          if (item.index === targets.documents) documents.push(item);
          else {
            unseen.add('units');
            yield item;
          }
        }
      }
    };
    // Documents when their units are written: what a document says of those that were is needed if it is tried again.
    await writeBulk(this.#connection, units(), this.#limits);
    if (documents.length > 0) unseen.add('documents');
    await writeBulk(this.#connection, documents, this.#limits);
  }

  /** What was written is found from now on. */
  async #show(name: IndexName): Promise<void> {
    if (!this.#unseen.has(name)) return;
    await this.#connection.call({ method: 'POST', path: `/${this.#aliases.of(name)}/_refresh` }, REFRESH_TIMEOUT_MS);
    this.#unseen.delete(name);
  }

  async #addSpaces(pending: readonly Pending[]): Promise<void> {
    for (const { row, units } of pending) {
      const dimensions = units?.vectors?.[0] && units.vectors[0].bare.length - SCALE_BYTES;
      const space = row && spaceOfRow(row);
      if (!space || !dimensions || this.#spaces.has(space)) continue;
      await addSpace(this.#connection, this.#aliases, space, dimensions);
      this.#spaces.add(space);
    }
  }

  async #stored(pending: readonly Pending[]): Promise<ReadonlyMap<string, Stored>> {
    type Columns = Pick<DocumentSource, 'chunks' | 'memories' | 'unitsRevision' | 'placedAs'> | { deletedAt: number };
    const docs = pending.map(({ key }) => ({ _id: key, routing: key, _source: STORED_COLUMNS }));
    const stored = new Map<string, Stored>();
    for (const got of await this.#get<Columns>(this.#aliases.of('documents'), docs)) {
      const source = got._source as Columns;
      stored.set(got._id, { version: got._version as number, document: 'placedAs' in source ? source : null });
    }
    return stored;
  }

  /** The unit rows of those documents whose tags, path or metadata have changed and nothing else. */
  async #movedUnits(
    pending: readonly Pending[],
    stored: ReadonlyMap<string, Stored>,
  ): Promise<ReadonlyMap<string, readonly StoredUnit[]>> {
    const moving = pending.filter((each) => movesUnits(each, stored.get(each.key)));
    if (moving.length === 0) return new Map();
    const docs = moving.flatMap(({ key }) => {
      const { document } = stored.get(key) as Stored;
      return document === null
        ? []
        : unitIds(key, document).map((_id) => ({ _id, routing: key, _source: { exclude: MOVED_COLUMNS } }));
    });
    const found = await this.#get<StoredUnit>(this.#aliases.of('units'), docs);
    return Map.groupBy(
      found.map(({ _source }) => _source as StoredUnit),
      ({ document }) => document,
    );
  }

  /** Rows as they were written last, found by searches or not. */
  async #get<Source>(index: string, docs: readonly { readonly _id: string }[]): Promise<Got<Source>[]> {
    const found: Got<Source>[] = [];
    for (let from = 0; from < docs.length; from += GOT_AT_ONCE) {
      const answer = await this.#connection.call<{ docs: readonly (Got<Source> & Failure)[] }>({
        ...{ method: 'POST', path: `/${index}/_mget`, body: { docs: docs.slice(from, from + GOT_AT_ONCE) } },
      });
      for (const got of answer.docs) {
        if (got.error !== undefined) throw failureOf(INTERNAL, got);
        if (got.found) found.push(got);
      }
    }
    return found;
  }
}

/** A quantised vector begins with its scale, which a cosine does not need. */
const SCALE_BYTES = 4;
/** Of unit rows that move: what they are written anew with. */
const MOVED_COLUMNS = [...PLACED_COLUMNS, 'unitsRevision'];
const STORED_COLUMNS = ['chunks', 'memories', 'unitsRevision', 'placedAs', 'deletedAt'];
