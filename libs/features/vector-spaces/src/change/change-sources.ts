import type { EventStore } from '#ports/event-store';
import type { Embedder } from '#ports/models';
import type { ViewsReader } from '#read-side/views';
import type { DocumentVectors } from '../document-vectors.ts';
import type { SpaceGroup } from '../groups.ts';
import type { VectorSpaces } from '../vector-spaces.ts';
import type { PassOptions } from './document-pass.ts';

/** Views that can be made again beside the serving ones. */
export interface RebuildableViews {
  readonly reader: ViewsReader;
  rebuild(options: {
    readonly space: string;
    readonly signal: AbortSignal;
    readonly onProgress: (written: { readonly documents: number; readonly units: number }) => void;
    readonly inspect: (views: { readonly rebuilt: ViewsReader; level(): Promise<void> }) => Promise<boolean>;
  }): Promise<boolean>;
}

export interface ChangeSources extends DocumentVectors {
  readonly store: Pick<EventStore, 'readAll'>;
  readonly spaces: VectorSpaces;
  readonly views: RebuildableViews;
}

/** The space that is built, or that serves while the vectors of others are removed. */
export interface SpaceOptions extends Pick<PassOptions, 'onSkipped' | 'pauses'> {
  readonly group: SpaceGroup;
  readonly space: string;
  /** Embeds in `space` alone. */
  readonly embedder: Pick<Embedder, 'status' | 'embedPassages' | 'embedWindows' | 'storedTokens'>;
  /** When it aborts, calls return early. What was done stays, and another change of the same space goes on from there. */
  readonly signal: AbortSignal;
}
