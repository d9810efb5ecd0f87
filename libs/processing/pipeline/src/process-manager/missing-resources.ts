import { LRUCache } from 'lru-cache';
import { organizationsOf } from '#features/access';
import { type DocumentRepository, decideResupplied, lossIn, parseDocumentStream } from '#features/documents';
import { type Clock, type OrganizationId, systemScope } from '#platform/kernel';
import { type EventStore, type RecordedEvent, systemCause } from '#ports/event-store';
import { type MachineResources, MISSING_CODES } from '#processing/extraction';
import type { ViewsReader } from '#read-side/views';

export interface MissingResourcesOptions {
  readonly store: EventStore;
  readonly views: Pick<ViewsReader, 'list'>;
  readonly documents: Pick<DocumentRepository, 'load' | 'change'>;
  readonly resources: Pick<MachineResources, 'has' | 'obtain'>;
  readonly clock: Clock;
  readonly logger: { warn(message: string, cause?: unknown): void };
  readonly signal: AbortSignal;
}

/** A document that failed because its machine lacked a resource. */
interface ResourceFailure {
  readonly organization: OrganizationId;
  /** Null: not read yet. */
  readonly resource: string | null;
  /** When it may be processed again. Milliseconds since the epoch. */
  readonly dueAt: number;
}

const PAGE = 500;
/** Documents of which the number of repetitions is known. */
const COUNTED = 10_000;
/** Pause of a document that failed again although the resource is here; doubled each time. Milliseconds. */
const PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 60 * 60_000;

/**
 * Processes documents again that failed for lack of weights or a program, once this machine has what they need. It knows them
 * from the views at its start, and from then on by the events that its owner passes on, so that a look reads nothing.
 */
export class MissingResources {
  readonly #options: MissingResourcesOptions;
  /** By document id. */
  readonly #lacking = new Map<string, ResourceFailure>();
  /** How often documents were processed again. */
  readonly #repeats = new LRUCache<string, number>({ max: COUNTED });
  #isListed = false;
  #isLooking = false;

  constructor(options: MissingResourcesOptions) {
    this.#options = options;
  }

  observe({ stream, envelope: { type, code, organization } }: RecordedEvent): void {
    if (type !== 'ProcessingFailed' || !isMissing(code)) return;
    const id = parseDocumentStream(stream)?.id;
    if (id === undefined) return;
    const repeats = this.#repeats.get(id) ?? 0;
    const pause = repeats === 0 ? 0 : Math.min(PAUSE_MS * 2 ** (repeats - 1), MAX_PAUSE_MS);
    this.#lacking.set(id, { organization, resource: null, dueAt: this.#options.clock.now() + pause });
  }

  /** Restarts the documents whose resource is here. Call it when the views show what happened before the first event. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      if (!this.#isListed) await this.#list();
      this.#isListed = true;
      /** Which resources are here, as far as this look has asked. */
      const found = new Map<string, boolean>();
      for (const [id, lacking] of this.#lacking) {
        if (this.#options.signal.aborted) return;
        if (lacking.dueAt <= this.#options.clock.now()) await this.#restart(id, lacking, found);
      }
    } catch (error) {
      this.#options.logger.warn(`Documents that lack a resource are looked at again later: ${String(error)}`, error);
    } finally {
      this.#isLooking = false;
    }
  }

  async #list(): Promise<void> {
    const { store, views, signal } = this.#options;
    for (const organization of await organizationsOf(store)) {
      for (let offset = 0; !signal.aborted; offset += PAGE) {
        const { rows } = await views.list({
          ...{ scope: { organization, tags: 'all' }, filter: null, filepath: null },
          ...{ stages: ['failed'], sort: 'updatedAt', order: 'asc', offset, limit: PAGE },
        });
        for (const { id, error } of rows) {
          if (!isMissing(error?.code) || this.#lacking.has(id)) continue;
          this.#lacking.set(id, { organization, resource: error?.resource ?? null, dueAt: 0 });
        }
        if (rows.length < PAGE) break;
      }
    }
  }

  async #restart(id: string, lacking: ResourceFailure, found: Map<string, boolean>): Promise<void> {
    const { documents } = this.#options;
    try {
      const resource = lacking.resource ?? (await this.#resourceOf(id, lacking));
      if (resource !== null && !(await this.#isHere(resource, found))) return;
      // Before the restart, because the document may fail again before that call returns.
      this.#lacking.delete(id);
      if (resource === null) return;
      const scope = systemScope(lacking.organization);
      const restarted = await documents.change(scope, id, systemCause(), (state) => decideResupplied(state, resource));
      if (restarted.ok) this.#repeats.set(id, (this.#repeats.get(id) ?? 0) + 1);
    } catch (error) {
      if (lossIn(error) === null) {
        if (!this.#lacking.has(id)) this.#lacking.set(id, lacking);
        throw error;
      }
      // Its key is lost, so that nothing can be read of it.
      this.#lacking.delete(id);
    }
  }

  /** A source that had nothing when the document failed, such as the model hub, may have it now. */
  async #isHere(resource: string, found: Map<string, boolean>): Promise<boolean> {
    const { resources } = this.#options;
    const isHere = found.get(resource) ?? ((await resources.has(resource)) || (await resources.obtain(resource)));
    found.set(resource, isHere);
    return isHere;
  }

  /** Null: the document has changed since. */
  async #resourceOf(id: string, lacking: ResourceFailure): Promise<string | null> {
    const state = await this.#options.documents.load(systemScope(lacking.organization), id);
    const resource = state.status === 'live' && state.stage === 'failed' ? (state.error.resource ?? null) : null;
    if (resource !== null) this.#lacking.set(id, { ...lacking, resource });
    return resource;
  }
}

const isMissing = (code: string | undefined): boolean => MISSING_CODES.some((one) => one === code);
