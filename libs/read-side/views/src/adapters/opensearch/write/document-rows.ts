import type { UnitSet } from '../../../documents.ts';
import { secondSpaceOf, spaceOfRow } from '../../../one-space.ts';
import { addSpace, readVectorSpace } from '../admin/indices.ts';
import type { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import { CUT, type DocumentSource, HAS_FORMERS, REVISED, type UnitCounts } from '../documents.ts';
import { FencedError, ViewsMissingError } from '../errors.ts';
import { documentKey } from '../terms.ts';
import { type BulkItem, type BulkLimits, writeBulk } from './bulk.ts';
import { foldChanges, itemsOf, type PendingChange, piecesOf, type StoredDocument, type Targets } from './changes.ts';
import { formerRowsOf } from './former-rows.ts';
import type { LateRecord } from './late-record.ts';
import type { CheckpointLease } from './lease.ts';
import type { Refresher } from './refresher.ts';
import { StoredRows } from './stored-rows.ts';
import type { StrayUnits } from './stray-units.ts';

export interface DocumentRowsOptions {
  readonly connection: Connection;
  readonly aliases: Aliases;
  readonly lease: CheckpointLease;
  readonly late: LateRecord;
  readonly strays: StrayUnits;
  readonly refresher: Refresher;
  /** Aliases of this writer alone. */
  readonly targets: Targets;
  /** Vector space of the views when they were opened. */
  readonly madeFor: string | null;
  readonly limits: BulkLimits;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Units whose rows were written ahead of the row of their document. */
export type UnitsAhead = UnitCounts & Pick<DocumentSource, 'placedAs' | 'facts'>;

/** Writes the rows of documents and of their units. */
export class DocumentRows {
  readonly #options: DocumentRowsOptions;
  readonly #stored: StoredRows;
  readonly #spaces = new Set<string>();
  readonly #ahead = new Map<string, UnitsAhead>();
  /** Documents whose units were replaced or removed as a whole. */
  readonly #settled = new Set<string>();

  constructor(options: DocumentRowsOptions) {
    this.#options = options;
    this.#stored = new StoredRows(options.connection, options.aliases, options.strays);
  }

  /** To be called when the rows of all units of a document are written: its next row counts them. */
  unitsAre(key: string, units: UnitsAhead): void {
    this.#ahead.set(key, units);
  }

  /** Reads what the index says of documents, with the units that were written ahead of their rows. */
  async stored(pending: readonly PendingChange[]): Promise<ReadonlyMap<string, StoredDocument>> {
    const stored = new Map(await this.#stored.documents(pending));
    for (const { key, units } of pending) {
      const ahead = this.#ahead.get(key);
      if (ahead === undefined || units !== undefined) continue;
      const { version, extent } = stored.get(key) ?? { version: -1 };
      stored.set(key, { version, extent, document: ahead });
    }
    return stored;
  }

  /** @throws as `OpenSearchViewsWriter.apply` */
  async write(pending: readonly PendingChange[]): Promise<void> {
    if (pending.length === 0) return;
    await this.checkSpace();
    await this.#addSpaces(pending);
    const { strays, targets, refresher, now } = this.#options;
    const stored = await this.stored(pending);
    const newer = pending.filter(({ key, revision }) => (stored.get(key)?.version ?? -1) <= revision);
    await this.#writePieces(newer, stored);
    await this.#removeFormers(newer, stored);
    const due = await this.#stored.resolved(newer, stored);
    const moved = await this.#stored.movedUnits(due, stored);
    const keys = due.map(({ key }) => key);
    strays.begin(keys);
    const at = now();
    const documents: BulkItem[] = [];
    const units = function* (): Generator<BulkItem> {
      for (const each of due) {
        for (const item of itemsOf(each, stored.get(each.key), moved.get(each.key) ?? [], targets, at)) {
          if (item.index === targets.documents) documents.push(item);
          else yield item;
        }
      }
    };
    // Documents follow their units: a retry needs what the stored documents say of their units.
    await this.send(units()).finally(() => refresher.wrote('units'));
    await this.send(documents).finally(() => refresher.wrote('documents'));
    strays.end(keys);
    for (const { key, units: own } of due) if (this.#ahead.delete(key) || own !== undefined) this.#settled.add(key);
  }

  /** Before the rows of their documents, which say what there is of them. */
  async #writePieces(pending: readonly PendingChange[], stored: ReadonlyMap<string, StoredDocument>): Promise<void> {
    const hadPieces = (key: string) => {
      const facts = stored.get(key)?.document?.facts ?? [];
      return facts.includes(CUT) || facts.includes(REVISED);
    };
    const cut = pending.filter(({ key, row }) => row?.cuts !== undefined || hadPieces(key));
    if (cut.length === 0) return;
    const rows = await this.#stored.rows(cut.map(({ key }) => key));
    const pieces = cut.flatMap((each) => piecesOf(each, rows.get(each.key) ?? null));
    await this.write([...foldChanges(pieces).values()]);
  }

  /** Removes the units that have left deleted documents, before these: nothing else names them. */
  async #removeFormers(pending: readonly PendingChange[], stored: ReadonlyMap<string, StoredDocument>): Promise<void> {
    const deleted = pending.filter(
      ({ key, row }) => row === null && stored.get(key)?.document?.facts.includes(HAS_FORMERS),
    );
    if (deleted.length === 0) return;
    const { connection, aliases, refresher } = this.#options;
    await refresher.show('documents');
    const revisions = new Map(deleted.map(({ key, revision }) => [key, revision]));
    const formers = await formerRowsOf(connection, aliases.of('documents'), deleted);
    const changes = formers.flatMap(({ organization, id, piece }) => {
      const revision = revisions.get(documentKey(organization, piece?.documentId ?? ''));
      return revision === undefined ? [] : [{ kind: 'delete', organization, id, revision } as const];
    });
    await this.write([...foldChanges(changes).values()]);
  }

  /** To be called when searches find what was written. @throws FencedError */
  async settle(): Promise<void> {
    await this.#options.late.settled(this.#settled);
    this.#settled.clear();
  }

  /** The batch was projected for the views that were opened; views of another space may have replaced them. @throws FencedError */
  async checkSpace(): Promise<void> {
    const { connection, aliases, madeFor } = this.#options;
    const space = await readVectorSpace(connection, aliases);
    if (space !== madeFor) throw new FencedError(`the views are of the vector space ${space} by now`);
  }

  /** @throws as `writeBulk`; FencedError if another writer has taken over */
  async send(items: Iterable<BulkItem>): Promise<void> {
    const { connection, limits, lease } = this.#options;
    try {
      await writeBulk(connection, items, limits);
    } catch (error) {
      if (error instanceof ViewsMissingError) await lease.confirm();
      throw error;
    }
  }

  async #addSpaces(pending: readonly PendingChange[]): Promise<void> {
    for (const { row, units } of pending) {
      if (row === null || !units) continue;
      const every = 'put' in units ? units.put.map(({ vectors }) => vectors) : units.vectors;
      await this.#addSpace(spaceOfRow(row), dimensionsIn(every));
      if (!('put' in units)) await this.#addSpace(secondSpaceOf(row), dimensionsIn(units.second));
    }
  }

  async #addSpace(space: string | null, dimensions: number | undefined): Promise<void> {
    if (space === null || !dimensions || this.#spaces.has(space)) return;
    await addSpace(this.#options.connection, this.#options.aliases, space, dimensions);
    this.#spaces.add(space);
  }
}

function dimensionsIn(every: UnitSet['vectors'] | undefined): number | undefined {
  const first = every?.find((vectors) => vectors !== null);
  return first && first.bare.length - SCALE_BYTES;
}

/** Bytes of the scale in front of a quantised vector; a cosine does not need it. */
const SCALE_BYTES = 4;
