import { setTimeout as pause } from 'node:timers/promises';
import { type EngineHealth, type EnginesReport, isSound, type OpenViews } from '#composition/runtime';
import type { RerankMethod } from '#features/search';
import type { GroupEmbedder } from '#features/vector-spaces';
import type { Position } from '#ports/event-store';
import type { Embedder, ModelStatus } from '#ports/models';
import type { Reranker } from '#ports/rerank';
import type { ClosedSecrets } from './closed-secrets.ts';
import type { DiskGuard } from './disk-guard.ts';
import type { ExtractionHealth } from './extraction-health.ts';

export interface Health extends EnginesReport {
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
  /** Secrets that no present master key opens. What needs them has to be signed in again. */
  readonly closedSecrets: number;
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
  readonly secrets: Pick<ClosedSecrets, 'count'>;
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
    const { version, embedder, reranker, storage } = this.#options;
    const model = embedder.status();
    const { name: space, embedder: multilingual } = this.#options.languages.serving;
    const engines = await this.#options.engines.report();
    // What cannot be asked is not waited for.
    const behind = engines.unreachable.includes('views') ? this.#rebuilding : await this.#isRebuilding();
    const rebuilding = behind || this.#options.views.repairing;
    const writable = storage.writable();
    return {
      status: !rebuilding && writable && isSound(engines) ? 'ok' : 'degraded',
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
      ...engines,
      closedSecrets: await this.#options.secrets.count(),
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
