import { setTimeout as pause } from 'node:timers/promises';
import type { ContentLoss, EngineHealth, OpenViews } from '#composition/runtime';
import type { RerankMethod } from '#features/search';
import type { GroupEmbedder } from '#features/vector-spaces';
import type { Position } from '#ports/event-store';
import type { Embedder, ModelStatus } from '#ports/models';
import type { Reranker } from '#ports/rerank';
import type { DiskGuard } from './disk-guard.ts';
import type { ExtractionHealth } from './extraction-health.ts';

export interface Health {
  readonly status: 'ok' | 'degraded';
  readonly version: string;
  readonly search: {
    readonly lexical: true;
    readonly vectors: boolean;
    readonly model: string | null;
    /** How `rerank` compares at present. Null: it has no effect. */
    readonly rerank: RerankMethod | null;
  };
  readonly model: ModelStatus;
  /** The model for other languages than English. */
  readonly languages: { readonly space: string; readonly model: ModelStatus };
  /** True while the views are rebuilt from the log, as far as they can be asked. */
  readonly views: { readonly rebuilding: boolean };
  readonly storage: { readonly writable: boolean };
  /** Engines outside of the process that do not answer. */
  readonly unreachable: readonly ('log' | 'bus' | 'views')[];
  /** What holds data and does not exist: streams on NATS, or the folder `blobs/`. */
  readonly missing: readonly string[];
  /** Since when the views have stopped because more than ten documents lost content within a minute; null: they have not. */
  readonly contentLoss: ContentLoss | null;
  /** Deletions of which something could not be erased yet; it is repeated. */
  readonly failingErasures: number;
  /** Streams of which a read model lacks rows that the views have refused. */
  readonly leftOutRows: number;
  /** Null: other processes read the files. */
  readonly extraction: ExtractionHealth | null;
}

export const HEALTH_REPORTER = Symbol('HealthReporter');

export interface HealthReporter {
  report(): Promise<Health>;
}

const SOON_MS = 300;

export interface HealthOptions {
  readonly version: string;
  readonly embedder: Pick<Embedder, 'status'>;
  readonly languages: Pick<GroupEmbedder, 'serving'>;
  readonly reranker: Pick<Reranker, 'method'>;
  readonly views: Pick<OpenViews, 'progress' | 'repairing'>;
  readonly storage: DiskGuard;
  readonly engines: Pick<EngineHealth, 'report'>;
  /** End of the log when the server started; until the views are there they are being rebuilt. */
  readonly headAtStart: Position | null;
  /** Null in a process that reads no files. */
  readonly extraction: (() => Promise<ExtractionHealth>) | null;
}

export class ServerHealth implements HealthReporter {
  readonly #options: HealthOptions;
  /** As far as it was known last. */
  #rebuilding = true;

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  async report(): Promise<Health> {
    const { version, embedder, reranker, storage, engines } = this.#options;
    const model = embedder.status();
    const { name: space, embedder: multilingual } = this.#options.languages.serving;
    const { unreachable, missing, contentLoss, failingErasures, leftOutRows } = await engines.report();
    // What cannot be asked is not waited for.
    const behind = unreachable.includes('views') ? this.#rebuilding : await this.#isRebuilding();
    const rebuilding = behind || this.#options.views.repairing;
    const writable = storage.writable();
    const hasEngines = unreachable.length === 0 && missing.length === 0;
    const isWell = writable && hasEngines && contentLoss === null && failingErasures === 0 && leftOutRows === 0;
    return {
      status: rebuilding || !isWell ? 'degraded' : 'ok',
      version,
      search: {
        lexical: true,
        vectors: model.state === 'ready',
        model: model.state === 'ready' ? model.space.name : null,
        rerank: reranker.method(),
      },
      model,
      languages: { space, model: multilingual.status() },
      views: { rebuilding },
      storage: { writable },
      unreachable,
      missing,
      contentLoss,
      failingErasures,
      leftOutRows,
      extraction: (await this.#options.extraction?.()) ?? null,
    };
  }

  async #isRebuilding(): Promise<boolean> {
    const { views, headAtStart } = this.#options;
    const asked = views.progress.reached(headAtStart, 0).then((reached) => {
      this.#rebuilding = !reached;
    });
    // They answered a moment ago, so this is rarely what is waited for.
    await Promise.race([asked, pause(SOON_MS, undefined, { ref: false })]);
    return this.#rebuilding;
  }
}
