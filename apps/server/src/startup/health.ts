import type { Embedder, Health, HealthReporter, ViewsProgress } from '#application';
import type { Position } from '#event-store';
import type { DiskGuard } from './storage-guard.ts';

export interface HealthOptions {
  readonly version: string;
  readonly embedder: Embedder;
  readonly progress: ViewsProgress;
  readonly storage: DiskGuard;
  /** End of the log when the server started; until the views are there they are being rebuilt. */
  readonly headAtStart: Position | null;
}

export class ServerHealth implements HealthReporter {
  readonly #options: HealthOptions;

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  async report(): Promise<Health> {
    const { version, embedder, progress, storage, headAtStart } = this.#options;
    const model = embedder.status();
    const rebuilding = !(await progress.reached(headAtStart, 0));
    const writable = storage.writable();
    return {
      status: rebuilding || !writable ? 'degraded' : 'ok',
      version,
      search: {
        lexical: true,
        vectors: model.state === 'ready',
        model: model.state === 'ready' ? model.space.name : null,
      },
      model,
      views: { rebuilding },
      storage: { writable },
    };
  }
}
