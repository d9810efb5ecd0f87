import type { Connection, EndedSync, RunningSync } from '#features/connections';
import type { CreatedConnection as Created, ItemPage } from '#features/connections/use-cases';
import type { Page } from '#platform/input';
import { isoTime, type Metadata } from '#platform/kernel';
import type { DocumentRow } from '#read-side/views';
import { baseRecord, type Pagination, pagination } from '../documents/documents.responses.ts';
import type { StatusWords } from '../documents/status-words.ts';
import type { Count, Timestamp } from '../openapi/scalars.ts';

/** Answers about connections (contract §4.10). The classes are types only; none is instantiated. */

/** A new connection. */
export class CreatedConnection {
  /** Id of the connection. */
  readonly id!: string;
  /** Where a person permits it. Absent: the connection is there. */
  readonly authLink?: string;
  /** How long that counts. */
  readonly expiresIn?: string;
  /** Where the person comes back to: `redirectUrl`, or null. */
  readonly redirectsTo?: string | null;
}

export const createdConnection = ({ id, departure }: Created): CreatedConnection =>
  departure === null ? { id } : { id, expiresIn: '1 hour', ...departure };

/** What a sync has done. */
export class SyncCountsRecord {
  /** Items that the source lists and the filters take. */
  readonly found!: Count;
  /** Items that were added, changed or removed. */
  readonly done!: Count;
  /** Items that could not be read. */
  readonly failed!: Count;
  /** Bytes that were brought. */
  readonly bytes!: Count;
}

/** A connection to a source. */
export class ConnectionRecord {
  /** Id. */
  readonly id!: string;
  /** Name of the provider, such as `web-crawler`. */
  readonly provider!: string;
  /** When it was created. */
  readonly createdAt!: Timestamp;
  /** Most documents. Absent: any number. */
  readonly documentLimit?: Count;
  /** As it was sent, without what is secret; or null. */
  readonly metadata!: Metadata | null;
  /** The tags of its documents. */
  readonly containerTags!: readonly string[];
  /**
   * `waiting`: no sync has ended yet. `syncing`. `synced`. `failed`: the last sync has. `lost`: the source as a whole cannot be
   * read. `many_removed`: more than half of the items are gone at the source, and nothing is removed until that is confirmed.
   */
  readonly status!: 'waiting' | 'syncing' | 'synced' | 'failed' | 'lost' | 'many_removed';
  /** Why the last sync has not completed, or null. */
  readonly error!: string | null;
  /** Items that wait for a confirmation to be removed. */
  readonly itemsToConfirm!: Count;
  /** End of the last sync, or null. */
  readonly lastSyncedAt!: Timestamp | null;
  /** How far the running sync is, or null. */
  readonly progress!: SyncCountsRecord | null;
}

/** A connection that is being deleted. */
export class DeletedConnectionRecord {
  /** Id. */
  readonly id!: string;
  /** Name of the provider. */
  readonly provider!: string;
  /** Only if several were deleted: all of them. */
  readonly deleted?: readonly DeletedOne[];
}

/** One of several connections that are being deleted. */
export class DeletedOne {
  /** Id. */
  readonly id!: string;
  /** Name of the provider. */
  readonly provider!: string;
}

/** A sync of a connection. */
export class SyncRunRecord {
  /** Id. */
  readonly id!: string;
  /** Id of the connection. */
  readonly connectionId!: string;
  /** Whether it runs, or how it ended. */
  readonly status!: 'running' | 'completed' | 'failed';
  /** Why the sync ran. `event`: the source reported a change. `cron`: the interval was over. `manual`: somebody asked for it. */
  readonly triggerType!: 'event' | 'cron' | 'manual';
  /** When it began. */
  readonly startedAt!: Timestamp;
  /** When it ended, or null while it runs. */
  readonly completedAt!: Timestamp | null;
  /** Items that were added, changed or removed. */
  readonly itemsProcessed!: Count;
  /** Items that could not be read. */
  readonly itemsFailed!: Count;
  /** Items that the source lists and the filters take. */
  readonly itemsFound!: Count;
  /** Bytes that were brought. */
  readonly bytes!: Count;
  /** Why it has failed, or null. */
  readonly error!: string | null;
}

/** A document of a connection. */
export class ConnectionDocument {
  /** Id. */
  readonly id!: string;
  /** Null until it is known. */
  readonly title!: string | null;
  /** Type of the content, such as `pdf`. */
  readonly type!: string;
  /** `queued`, `processing`, `done` or `failed`. */
  readonly status!: string;
  /** Passages that stand for the whole content, or null. */
  readonly summary!: string | null;
  /** When it was created. */
  readonly createdAt!: Timestamp;
  /** When it has changed last. */
  readonly updatedAt!: Timestamp;
}

/** An item of a source. */
export class ConnectionItem {
  /** As the source names it. */
  readonly id!: string;
  /** Path at the source. */
  readonly path!: string;
  /** Name at the source. */
  readonly title!: string;
  /**
   * `synced`. `failed`: its present content could not be read. `deleted`: its document was deleted here, and stays so until the
   * content changes at the source.
   */
  readonly status!: 'synced' | 'failed' | 'deleted';
  /** Why its present content could not be read, or null. */
  readonly error!: string | null;
  /** Id of its document, or null. */
  readonly documentId!: string | null;
  /** Size of the content in bytes, or null. */
  readonly bytes!: number | null;
  /** When it has changed last. */
  readonly updatedAt!: Timestamp;
}

/** A page of items. */
export class ConnectionItems {
  /** The items of the page. */
  readonly items!: readonly ConnectionItem[];
  /** Place of the page in the list. */
  readonly pagination!: Pagination;
}

export const connectionRecord = (connection: Connection): ConnectionRecord => {
  const { id, provider, createdAt, documentLimit, metadata, tags, running, ended, gone } = connection;
  const [last] = ended;
  return {
    ...{ id, provider, createdAt: isoTime(createdAt), ...(documentLimit !== null && { documentLimit }) },
    ...{ metadata, containerTags: tags, status: statusOf(connection), error: last?.message ?? null },
    itemsToConfirm: gone,
    lastSyncedAt: last === undefined ? null : isoTime(last.endedAt),
    progress: running && countsOf(running),
  };
};

function statusOf({ running, ended: [last] }: Connection): ConnectionRecord['status'] {
  if (running !== null) return 'syncing';
  if (last === undefined) return 'waiting';
  const words = { completed: 'synced', failed: 'failed', source_lost: 'lost', many_removed: 'many_removed' } as const;
  return words[last.outcome];
}

const countsOf = ({ found, done, failed, bytes }: RunningSync): SyncCountsRecord => ({ found, done, failed, bytes });

export const syncRuns = ({ id: connectionId, running, ended }: Connection): readonly SyncRunRecord[] => [
  ...(running === null ? [] : [{ ...syncRun(connectionId, running), status: 'running' as const }]),
  ...ended.map((sync) => endedRun(connectionId, sync)),
];

const syncRun = (connectionId: string, { id, trigger, startedAt, found, done, failed, bytes }: RunningSync) => ({
  ...{ id, connectionId, triggerType: trigger, startedAt: isoTime(startedAt), completedAt: null },
  ...{ itemsProcessed: done, itemsFailed: failed, itemsFound: found, bytes, error: null },
});

const endedRun = (connectionId: string, sync: EndedSync): SyncRunRecord => ({
  ...syncRun(connectionId, sync),
  status: sync.outcome === 'completed' ? 'completed' : 'failed',
  completedAt: isoTime(sync.endedAt),
  error: sync.message,
});

export function connectionDocument(row: DocumentRow, words: StatusWords): ConnectionDocument {
  const { id, title, type, status, summary, createdAt, updatedAt } = baseRecord(row, words);
  return { id, title, type, status, summary, createdAt, updatedAt };
}

/** @param deleted at least one */
export function deletedConnections(deleted: readonly DeletedOne[]): DeletedConnectionRecord {
  const [first] = deleted as readonly [DeletedOne];
  return { ...first, ...(deleted.length > 1 && { deleted }) };
}

export const connectionItems = (page: Page, { items, total }: ItemPage): ConnectionItems => ({
  items: items.map(({ id, path, title, status, failure, document, bytes, at }) => ({
    ...{ id, path, title, status, error: failure, documentId: document, bytes, updatedAt: isoTime(at) },
  })),
  pagination: pagination(page, total),
});
