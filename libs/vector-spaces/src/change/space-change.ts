import { setTimeout as pause } from 'node:timers/promises';
import { decideEmbedded, documentStream, unitsOf } from '#documents';
import { type EventStore, systemCause } from '#event-store';
import { systemScope } from '#kernel';
import type { Embedder, ModelStatus } from '#models';
import type { UnfinishedDocument, ViewsReader } from '#views';
import { backfillDocument, releaseOtherSpaces } from '../backfill-document.ts';
import type { DocumentVectors } from '../document-vectors.ts';
import { isModelGone } from '../embed-units.ts';
import { SpaceChangeError } from '../errors.ts';
import type { SpaceGroup } from '../groups.ts';
import type { VectorSpaces } from '../vector-spaces.ts';
import { type DocumentName, eachDocument } from './each-document.ts';
import { withoutVectors } from './without-vectors.ts';

/** Milliseconds. */
const MODEL_POLL_MS = 250;
/** At most one progress report of a pass over the documents in this time. Milliseconds. */
const REPORT_EVERY_MS = 200;
/** Tries of a document whose text, or that of another one in its batch, ended the model's process. */
const TRIES = 4;
/** Looks at the new views for documents without vectors, after which they serve as they are. */
const LOOKS = 20;

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

export type ChangeProgress =
  | { readonly phase: 'model'; readonly state: ModelStatus['state'] }
  | { readonly phase: 'embed' | 'release'; readonly documents: number; readonly vectors: number }
  | { readonly phase: 'rebuild'; readonly documents: number; readonly units: number };

export interface ChangeOptions {
  readonly group: SpaceGroup;
  /** To be the serving one. It has been begun. */
  readonly space: string;
  /** The space of the serving views. */
  readonly searched: string;
  /** Embeds in `space` alone. */
  readonly embedder: Pick<Embedder, 'status' | 'embedPassages' | 'embedWindows'>;
  readonly onProgress: (progress: ChangeProgress) => void;
  /** When it aborts, calls return early. What was done stays, and another change of the same space goes on from there. */
  readonly signal: AbortSignal;
}

/** Changes the serving space of a group. Until the new views are in place, searches go on in the old space. */
export class SpaceChange {
  readonly #sources: ChangeSources;
  readonly #options: ChangeOptions;
  /** Documents that could not be embedded. They are found by their words. */
  readonly #failed = new Set<string>();
  #vectors = 0;

  constructor(sources: ChangeSources, options: ChangeOptions) {
    this.#sources = sources;
    this.#options = options;
  }

  /** Vectors that were made. */
  get vectors(): number {
    return this.#vectors;
  }

  /**
   * Embeds every document in the space, builds views of it, and has them serve.
   * @throws SpaceChangeError
   */
  async run(): Promise<void> {
    const { signal } = this.#options;
    await this.#modelReady();
    if (signal.aborted) return;
    await this.#eachDocument('embed', (name) => this.#embed(name));
    if (!signal.aborted) await this.#switchViews();
  }

  /**
   * Removes the vectors of all other spaces.
   * @throws SpaceChangeError
   */
  async releaseOthers(): Promise<void> {
    const { space, signal } = this.#options;
    await this.#modelReady();
    if (signal.aborted) return;
    const backfill = this.#backfill([space]);
    await this.#eachDocument('release', ({ organization, id }) => releaseOtherSpaces(backfill, organization, id));
  }

  #backfill(kept: readonly string[]) {
    const { documents, texts, vectors } = this.#sources;
    const { space: name, embedder } = this.#options;
    return { documents, texts, vectors, space: { name, embedder }, kept };
  }

  async #modelReady(): Promise<void> {
    const { spaces } = this.#sources;
    const { group, space, embedder, signal, onProgress } = this.#options;
    for (let reported = ''; !signal.aborted; ) {
      const status = embedder.status();
      if (status.state === 'ready') return;
      const { serving, coming } = await spaces.load(group);
      if (serving !== space && coming !== space) throw this.#superseded();
      if (status.state === 'unavailable') {
        // Nothing is being built any more.
        await spaces.begin(group, serving);
        throw new SpaceChangeError(`The model of ${space} cannot be had: ${status.reason}`);
      }
      if (status.state !== reported) onProgress({ phase: 'model', state: status.state });
      reported = status.state;
      await pause(MODEL_POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  #superseded(): SpaceChangeError {
    return new SpaceChangeError(
      `Another vector space was requested after this one. ${this.#options.searched} goes on serving.`,
    );
  }

  async #eachDocument(phase: 'embed' | 'release', work: (name: DocumentName) => Promise<unknown>): Promise<void> {
    const { documents: repository, store } = this.#sources;
    const { signal, onProgress } = this.#options;
    let documents = 0;
    let reportedAt = Number.NEGATIVE_INFINITY;
    const report = () => {
      if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
      reportedAt = performance.now();
      onProgress({ phase, documents, vectors: this.#vectors });
    };
    report();
    await eachDocument(store, signal, async (name) => {
      await work(name);
      const { status } = await repository.peek(systemScope(name.organization), name.id);
      if (status === 'live') documents += 1;
      report();
    });
  }

  async #embed({ organization, id }: DocumentName): Promise<void> {
    const { space, searched, signal } = this.#options;
    const backfill = this.#backfill([searched, space]);
    const key = documentStream(organization, id);
    for (let left = TRIES; !signal.aborted; ) {
      try {
        this.#vectors += await backfillDocument(backfill, organization, id);
        this.#failed.delete(key);
        return;
      } catch (error) {
        if (!isModelGone(error)) throw error;
        await this.#modelReady();
        if (--left > 0) continue;
        this.#failed.add(key);
        return;
      }
    }
  }

  /** Makes views of the space beside the serving ones. They serve when no document lacks its vectors in them. */
  async #switchViews(): Promise<void> {
    const { views, spaces } = this.#sources;
    const { group, space, signal, onProgress } = this.#options;
    await views.rebuild({
      space,
      signal,
      onProgress: (written) => onProgress({ phase: 'rebuild', ...written }),
      inspect: async ({ rebuilt, level }) => {
        for (let look = 1; !signal.aborted && look <= LOOKS; look += 1) {
          await level();
          const missing = await this.#missingIn(rebuilt);
          if (missing.length === 0) break;
          for (const document of missing) await this.#embedAgain(document);
        }
        if (signal.aborted) return false;
        if (!(await spaces.select(group, space)).ok) throw this.#superseded();
        return true;
      },
    });
  }

  /** Documents that the serving views find by their vectors and the new ones do not. */
  async #missingIn(rebuilt: ViewsReader): Promise<readonly UnfinishedDocument[]> {
    const { space, searched } = this.#options;
    const missing = await withoutVectors(rebuilt, space);
    if (missing.length === 0) return [];
    const keyOf = ({ organization, id }: UnfinishedDocument) => documentStream(organization, id);
    const already = new Set((await withoutVectors(this.#sources.views.reader, searched)).map(keyOf));
    return missing.filter((document) => !already.has(keyOf(document)) && !this.#failed.has(keyOf(document)));
  }

  /** An event makes the new views look up the vectors once more. */
  async #embedAgain({ organization, id, contentVersion }: UnfinishedDocument): Promise<void> {
    const { documents, texts } = this.#sources;
    await this.#embed({ organization, id });
    const document = await documents.load(systemScope(organization), id);
    if (document.status !== 'live') return;
    const sizes = { units: (await unitsOf(document, texts)).length };
    await documents.change(systemScope(organization), id, systemCause(), (state) =>
      decideEmbedded(state, contentVersion, this.#options.space, { renewed: true, sizes }),
    );
  }
}
