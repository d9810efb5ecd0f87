import type {
  DocumentEvent,
  DocumentRepository,
  DocumentState,
  DocumentTexts,
  FailureReason,
  KeptReadings,
  Live,
  Outdated,
} from '#features/documents';
import type { GroupEmbedder, SpaceEmbedders } from '#features/vector-spaces';
import type { Result } from '#platform/kernel';
import type { Position } from '#ports/event-store';
import type { WorkMessage } from '#ports/message-bus';
import type { VectorStore } from '#ports/vector-store';
import type { UnfinishedDocument, ViewsProgress, ViewsReader } from '#read-side/views';
import type { Pages } from '../pages/pages.ts';
import type { PassageJobs } from '../passage-jobs.ts';
import type { Pictures } from '../pictures/pictures.ts';
import type { ConcurrencyLimit } from '../process-manager/fair-queue.ts';
import type { Summaries } from '../summaries.ts';
import type { TextJobs } from '../text-jobs.ts';

/** What a stage may have to wait for, beside its predecessor. */
export type Resource = 'model';

/** What came of a piece of work. */
export type Outcome =
  /** The result is in the log, or the work is outdated. */
  | { readonly kind: 'recorded' }
  /** Try again at this time, milliseconds since the epoch. */
  | { readonly kind: 'retry'; readonly at: number }
  /** The resource went while the work waited for its turn. */
  | { readonly kind: 'waits'; readonly resource: Resource }
  /** The document ends as failed. */
  | { readonly kind: 'failed'; readonly reason: FailureReason };

export const RECORDED: Outcome = { kind: 'recorded' };

/** One piece of work: a stage of one version of a document. */
export interface StageWork {
  readonly message: WorkMessage;
  /** The document, possibly a moment old. Null: the version is no longer the present one. */
  document(): Promise<Live | null>;
  /**
   * Records that work begins which could end the process.
   * @param options.hasProgressed part of the result was kept since the last start. Default: false.
   * @returns the present document; null: there is nothing to do any more, or it was started too often
   */
  start(options?: { readonly hasProgressed?: boolean }): Promise<Live | null>;
  /** Appends the result. @returns false, with nothing recorded, if it is outdated */
  record(decide: (state: DocumentState) => Result<readonly DocumentEvent[], Outdated>): Promise<boolean>;
  /** Whether the version is still the present one, as the log says now. Ask before each further part of long work. */
  isPresent(): Promise<boolean>;
  /** Leaves the work to another queue of its stage (`Stage.queues`). */
  defer(queue: string): Promise<void>;
  /** Aborts some seconds after the document was deleted, or its content replaced. */
  readonly outdated: AbortSignal;
  /**
   * Appends events at the revision at which the dispatcher saw the document, without reading the stream.
   * @returns false, with nothing recorded, if the document has changed since
   */
  recordAsSeen(events: readonly DocumentEvent[]): Promise<boolean>;
}

/** What stages work with. */
export interface StageTools {
  readonly documents: DocumentRepository;
  readonly texts: DocumentTexts;
  readonly embedders: SpaceEmbedders;
  readonly vectors: VectorStore;
  readonly summaries: Summaries;
  readonly textJobs: TextJobs;
  readonly passageJobs: PassageJobs;
  readonly pages: Pick<Pages, 'permit' | 'fetch' | 'pauseAfter'>;
  readonly pictures: Pictures;
  readonly readings: KeptReadings;
  /** Maximum size of a chunk, by the settings of the organization. */
  readonly chunkTokens: (message: WorkMessage) => Promise<number>;
  /** Called with the tokens that are embedded for an organization. */
  readonly embedded: (organization: string, tokens: number) => void;
  readonly progress: ViewsProgress;
  readonly head: () => Promise<Position | null>;
  /** Whether the log holds the event of a position. */
  readonly holds: (position: Position) => Promise<boolean>;
}

/** Lists documents that are done and lack the result of a stage, page by page. */
export type Backlog = (
  context: {
    readonly views: Pick<ViewsReader, 'withoutVectors' | 'withoutSummary'>;
    readonly embedder: Pick<GroupEmbedder, 'status'>;
  },
  page: { readonly after: UnfinishedDocument | null; readonly limit: number },
) => Promise<readonly UnfinishedDocument[]>;

/**
 * A stage of the pipeline, declared in one file and registered by one line in `registry.ts`. On the bus its pattern is
 * `pipeline.<name>`.
 */
export interface Stage {
  readonly name: string;
  /** Name of the stage whose result it needs. Null: it is the first. */
  readonly after: string | null;
  /** The contract's status word while a document is in it; the log knows its results by this word. */
  readonly status: string;
  /** Where the work is done: in the serving thread, in a worker thread, or in a child process. */
  readonly runs: 'inline' | 'thread' | 'process';
  /** `backfill`: only for documents that are done; their status stays. */
  readonly leadsTo: 'done' | 'backfill';
  /** Without this resource the stage is skipped; documents that are done get its result later, as a backfill. */
  readonly needs: Resource | null;
  /** For each process that handles work. */
  readonly concurrency: ConcurrencyLimit;
  /** Other queues for parts of its work: a run that finds out that its work belongs there defers it. Absent: none. */
  readonly queues?: readonly Stage[];
  /** For a stage that can be a backfill. */
  readonly backlog?: Backlog;
  run(work: StageWork, tools: StageTools): Promise<Outcome>;
}
