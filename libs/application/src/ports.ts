import type { BlobStore } from '#blobs';
import type { EventFilter, Position, RecordedEvent } from '#event-store';
import type { Caller, Clock } from '#kernel';
import type { Embedder, ModelStatus } from '#models';
import type { VectorCache } from '#vector-cache';
import type { ViewsProgress, ViewsReader } from '#views';

/** The public feed: envelopes in the order of the log. */
export interface EventFeed {
  readonly storeId: string;
  /** Null: the text names no position of this log. */
  parsePosition(text: string): Position | null;
  /** Everything of the caller's organization after a position (null: from now on), until the signal aborts. */
  follow(
    caller: Caller,
    options: {
      readonly after: Position | null;
      readonly types: EventFilter['types'] | null;
      readonly tag: string | null;
      readonly signal: AbortSignal;
    },
  ): AsyncIterable<RecordedEvent>;
}

export interface Health {
  readonly status: 'ok' | 'degraded';
  readonly version: string;
  readonly search: { readonly lexical: true; readonly vectors: boolean; readonly model: string | null };
  readonly model: ModelStatus;
  /** True while the views are rebuilt from the log, as far as they can be asked. */
  readonly views: { readonly rebuilding: boolean };
  readonly storage: { readonly writable: boolean };
  /** Engines outside of the process that do not answer. */
  readonly unreachable: readonly ('log' | 'bus' | 'views')[];
}

export interface HealthReporter {
  report(): Promise<Health>;
}

/** How much is waiting to be processed. */
export interface Backlog {
  full(): boolean;
}

/** Knows how much room the data folder has. */
export interface StorageGuard {
  /** @throws StorageFullError when what is left is kept for deletions */
  assertWritable(): void;
}

/** The providers that the handlers of this library need; the application gives them. */
export const BACKLOG = Symbol('Backlog');
export const BLOB_STORE = Symbol('BlobStore');
export const CLOCK = Symbol('Clock');
export const EMBEDDER = Symbol('Embedder');
export const STORAGE_GUARD = Symbol('StorageGuard');
export const VECTOR_CACHE = Symbol('VectorCache');
export const VIEWS_PROGRESS = Symbol('ViewsProgress');
export const VIEWS_READER = Symbol('ViewsReader');
export const EVENT_STORE = Symbol('EventStore');

export type { BlobStore, Clock, Embedder, VectorCache, ViewsProgress, ViewsReader };

export const EVENT_FEED = Symbol('EventFeed');
export const HEALTH_REPORTER = Symbol('HealthReporter');
