import type { EventStore } from '#ports/event-store';
import type { ViewsProgress, ViewsReader } from '#read-side/views';
import type { DocumentVectors } from '../document-vectors.ts';
import type { VectorSpaces } from '../vector-spaces.ts';

export interface KeepLanguagesSources extends DocumentVectors {
  readonly store: Pick<EventStore, 'head' | 'readAll' | 'subscribe'>;
  readonly spaces: Pick<VectorSpaces, 'load'>;
  readonly views: {
    readonly reader: Pick<ViewsReader, 'withoutVectors' | 'countUnfinished' | 'heldSpaces' | 'list' | 'tags'>;
    readonly progress: Pick<ViewsProgress, 'reached'>;
  };
}

export interface KeepLanguagesOptions {
  readonly logger: { info(message: string): void; warn(message: string, cause?: unknown): void };
  readonly signal: AbortSignal;
  /** Between two looks at what has changed. Milliseconds. Default: 2000. */
  readonly lookEveryMs?: number;
}
