import type { ConnectionName, ConnectionRepository } from '#features/connections';
import type { Clock, Metadata, OrganizationId, Result, Scratch } from '#platform/kernel';
import type { Connector } from '#ports/connectors';
import type { EventStore } from '#ports/event-store';
import type { Leases } from '#ports/leases';
import type { Secrets } from '#ports/secrets';
import type { ViewsProgress, ViewsReader } from '#read-side/views';

/** A file of an item; `path` is a temporary file that is removed afterwards. */
export interface BroughtFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the bytes; 64 hexadecimal digits. */
  readonly sha256: string;
  /** Becomes the title. */
  readonly name: string;
  readonly contentType: string | null;
  /** Type of the document as the source states it. */
  readonly type: string | null;
}

/** What a document shows of an item beside its content. */
export interface ItemDetails {
  readonly title: string;
  readonly filepath: string;
  readonly metadata: Metadata;
}

export interface ItemDocument extends ItemDetails {
  readonly customId: string;
  readonly tags: readonly string[];
  /** The provider. */
  readonly source: string;
  readonly file: BroughtFile;
}

/**
 * The documents of connections. Errors are those of the use cases; a transient one, and one about a quota, means that the
 * same call may succeed later.
 */
export interface ConnectionDocuments {
  /** Makes the document with the customId what it is given; the same content is not processed again. */
  put(connection: ConnectionName, document: ItemDocument): Promise<Result<{ readonly id: string }, string>>;
  /** Changes what a document shows beside its content. A deleted document stays deleted. */
  describe(connection: ConnectionName, id: string, details: ItemDetails): Promise<Result<unknown, string>>;
  /** Deletes a document, if there is one. */
  remove(connection: ConnectionName, id: string): Promise<Result<unknown, string>>;
}

/** Milliseconds. */
export interface SyncTiming {
  /** Between two records of the progress. */
  readonly checkpoint: number;
  /** After a fault, doubled with each further one. */
  readonly firstPause: number;
  readonly longestPause: number;
}

export const TIMING: SyncTiming = { checkpoint: 10_000, firstPause: 1_000, longestPause: 300_000 };

export interface SyncOptions {
  readonly store: Pick<EventStore, 'head' | 'readAll' | 'subscribe' | 'erase'>;
  readonly connections: ConnectionRepository;
  readonly connectors: ReadonlyMap<string, Connector>;
  readonly documents: ConnectionDocuments;
  readonly secrets: Pick<Secrets, 'get' | 'put' | 'delete' | 'list'>;
  readonly views: { readonly reader: Pick<ViewsReader, 'rows' | 'list'>; readonly progress: ViewsProgress };
  readonly leases: Leases;
  readonly scratch: Scratch;
  /** Largest file, in bytes. */
  readonly maxBytes: number;
  /** Whether requests of an organization are answered. */
  readonly isActive: (organization: OrganizationId) => boolean;
  readonly clock: Clock;
  readonly logger: { info(message: string): void; warn(message: string, cause?: unknown): void };
  readonly timing?: SyncTiming;
}
