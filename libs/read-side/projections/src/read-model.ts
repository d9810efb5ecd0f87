import type { DocumentTexts, Live } from '#features/documents';
import type { VectorSource } from '#features/vector-spaces/model';
import type { OrganizationId } from '#platform/kernel';
import type { EventStore, RecordedEvent } from '#ports/event-store';
import type { DocumentRow, RowTable, ViewsChange } from '#read-side/views';

/** What read models read beside the events. */
export interface ProjectionSources {
  readonly store: Pick<EventStore, 'readStream' | 'compare'>;
  readonly texts: DocumentTexts;
  readonly vectors: VectorSource;
  /** Vector space of the views, whichever space a document was embedded in last. */
  readonly space: string;
  /** Of the states of documents in work that are kept in memory, as `createFoldCache` counts it. Default: 8,000,000. */
  readonly keptInWork?: number;
  /** Whether the units of a document are written by others (`Projected.deferred`). Default: of none. */
  readonly defers?: (document: Live) => boolean;
}

/** Events of one stream in their order, without a gap; at least one. */
export interface StreamEvents {
  readonly stream: string;
  readonly events: readonly RecordedEvent[];
}

/** A document whose units are to be written before the changes, which leave them out: they take much memory. */
export interface DeferredUnits {
  readonly row: DocumentRow;
  readonly document: Live;
}

/** The changes that events cause. */
export interface Projected {
  readonly changes: readonly ViewsChange[];
  /** Absent: none. */
  readonly deferred?: readonly DeferredUnits[];
  /** Documents that lack something their events name, and are not known to; `changes` has what there is of them. */
  readonly incomplete: readonly Incomplete[];
}

export interface Incomplete {
  readonly organization: OrganizationId;
  readonly id: string;
  readonly contentVersion: number;
  /** A sentence without its full stop. */
  readonly reason: string;
}

/** Turns events into changes of one read model. Streams that do not concern it are passed over. */
export interface ModelProjector {
  /** Changes that follow from the newest events of streams. */
  changesOf(streams: readonly StreamEvents[]): Promise<Projected>;
  /** Changes that follow from whole streams, whatever was projected of them before; each is projected when it has been read. */
  latestOf(streams: readonly Promise<StreamEvents>[]): Promise<Projected>;
}

/** One read model: its tables, the events that it handles, and how its rows follow from them. */
export interface ReadModel {
  readonly name: string;
  /** `state`: rows follow from what a stream comes to. `events`: from every event by itself. */
  readonly follows: 'state' | 'events';
  /** Event types that it handles, of any stream categories. */
  readonly types: readonly string[];
  /** Event types of which every stream that concerns it holds one; a rebuild finds the streams by them. Default: `types`. */
  readonly opens?: readonly string[];
  /** Its table or index. Null: that of the documents, which the adapters of the views bring along. */
  readonly table: RowTable | null;
  projector(sources: ProjectionSources): ModelProjector;
}
