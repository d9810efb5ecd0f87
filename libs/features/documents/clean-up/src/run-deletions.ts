import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import {
  type DeletionLog,
  DocumentDeletion,
  type DocumentName,
  type DocumentRepository,
  decideUntagged,
  deletedBy,
  type Erasure,
  type LoggedDeletion,
  lossIn,
  OPEN_DELETIONS_STREAM,
  type OpenDeletion,
  type RunningDeletion,
  type SeenDocument,
} from '#features/documents';
import { type OrganizationId, ok, systemScope } from '#platform/kernel';
import type { Cause, EventStore, Position } from '#ports/event-store';
import type { ViewsProgress, ViewsReader } from '#read-side/views';
import { Failures } from './failures.ts';
import { type DeletePage, deleteSelected } from './selection.ts';

export interface RunDeletionsOptions {
  readonly store: EventStore;
  readonly deletions: DeletionLog;
  readonly documents: DocumentRepository;
  readonly erasure: Erasure;
  readonly views: { readonly reader: Pick<ViewsReader, 'list' | 'documents'>; readonly progress: ViewsProgress };
  /** Hides a document from the answers of this process until the views no longer hold it. */
  readonly hide: (document: DocumentName, position: Position) => void;
  /**
   * Erases what callers have set on a deleted tag, or in an organization that is reset. Called when the documents are gone;
   * again if the process ended before the deletion was recorded as finished.
   */
  readonly eraseValues: (
    deletion: Pick<RunningDeletion, 'organization' | 'by' | 'tags'>,
    cause: Cause,
  ) => Promise<void>;
  readonly logger: { warn(message: string, cause?: unknown): void };
  readonly signal: AbortSignal;
}

/** Documents at a time. Their appends share the syncs of the disk. */
const CONCURRENCY = 256;
/** How long a page waits for the views to remove it. Deleted documents are hidden until then. Milliseconds. */
const VIEWS_WAIT_MS = 10_000;
/** After this time the process that opened a bulk deletion without requesting it has ended. Milliseconds. */
const ABANDONED_MS = 60_000;
const LOOK_AGAIN_MS = 100;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const PAGE = 1_000;

/**
 * Carries out the bulk deletions that the log says are open, those of an ended process included, until the signal aborts.
 * One process at a time may call it.
 */
export async function runDeletions(options: RunDeletionsOptions): Promise<void> {
  const { store, deletions, signal } = options;
  const running = new Map<string, Promise<void>>();
  const start = (one: OpenDeletion) => {
    if (running.has(one.id)) return;
    running.set(
      one.id,
      new DeletionRun(options, one).run().finally(() => running.delete(one.id)),
    );
  };
  const after = await store.head();
  for (const one of await deletions.open()) start(one);
  try {
    const opened = { after, filter: { categories: [OPEN_DELETIONS_STREAM] }, envelopesOnly: true, signal };
    for await (const _ of store.subscribe(opened)) for (const one of await deletions.open()) start(one);
  } finally {
    await Promise.all(running.values());
  }
}

const erasesValues = ({ by }: RunningDeletion): boolean => by === 'tag' || by === 'reset';

/** One bulk deletion, from wherever it was left. */
class DeletionRun {
  readonly #options: RunDeletionsOptions;
  readonly #one: OpenDeletion;
  readonly #deletion: DocumentDeletion;
  /** How many documents it has deleted. Null: the log knows. */
  #documents: number | null = null;
  /** Deleted documents whose blobs and vectors are not removed yet. */
  readonly #unerased = new Set<string>();
  /** Of how many this process could not remove them. The garbage collection does, later. */
  #failed = 0;

  constructor(options: RunDeletionsOptions, one: OpenDeletion) {
    this.#options = options;
    this.#one = one;
    this.#deletion = new DocumentDeletion(options.documents);
  }

  /** Resolves when it is finished or the signal has aborted; an error is logged, and the work is done again. */
  async run(): Promise<void> {
    const { signal, logger } = this.#options;
    for (let wait = FIRST_PAUSE_MS; !signal.aborted; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
      try {
        await this.#carryOut();
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#documents = null;
        logger.warn(`the bulk deletion ${this.#one.id} goes on after an error: ${String(error)}`, error);
        await pause(wait, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #carryOut(): Promise<void> {
    const { deletions, signal } = this.#options;
    const openedAt = Date.now();
    while (!signal.aborted) {
      const logged = await deletions.read(this.#one);
      if (logged.state.status === 'running') {
        const cause = await this.#delete(logged, logged.state);
        if (signal.aborted) continue;
        if (erasesValues(logged.state)) await this.#options.eraseValues(logged.state, cause);
        if (!(await deletions.finish(logged, { documents: this.#documents ?? 0, unerased: this.#failed }, cause)))
          continue;
      } else if (logged.state.status === 'absent') {
        if (Date.now() - openedAt > ABANDONED_MS) await deletions.abandon(this.#one);
        else await pause(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
        continue;
      }
      await deletions.close(this.#one);
      return;
    }
  }

  async #delete({ requests }: LoggedDeletion, state: RunningDeletion): Promise<Cause> {
    const { store, views, signal } = this.#options;
    const [first] = requests;
    const until = requests.at(-1)?.position;
    if (first === undefined || until === undefined) throw new Error('a running deletion has no request');
    const { id: causationId, correlationId, actor } = first.envelope;
    const cause: Cause = { actor, correlationId, causationId };
    if (this.#documents === null) await this.#resume(await deletedBy(store, first.position, causationId));
    const tag = state.by === 'tag' ? (state.tags[0] ?? null) : null;
    const deletePage: DeletePage = (documents) => this.#deletePage(documents, cause, tag);
    if (state.by === 'ids') {
      for (let from = 0; from < state.ids.length && !signal.aborted; from += PAGE) {
        await deletePage(await this.#seen(state.ids.slice(from, from + PAGE)));
      }
      return cause;
    }
    while (!(await this.#reached(until))) if (signal.aborted) return cause;
    await deleteSelected({ store, reader: views.reader }, state, until, deletePage, signal);
    return cause;
  }

  /** What an ended process or a former attempt has deleted may not be erased. */
  async #resume(deleted: readonly string[]): Promise<void> {
    this.#documents = deleted.length;
    this.#failed = 0;
    for (const id of deleted) this.#unerased.add(id);
    await this.#erase();
  }

  /** Returns documents as the views show them where they do. */
  async #seen(ids: readonly string[]): Promise<readonly (SeenDocument | string)[]> {
    const organization = this.#one.organization as OrganizationId;
    const rows = await this.#options.views.reader.documents({ organization, tags: 'all' }, ids);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? id);
  }

  /** @param tag documents that carry it beside others lose only this tag. Null: all are deleted */
  async #deletePage(documents: readonly (SeenDocument | string)[], cause: Cause, tag: string | null): Promise<boolean> {
    const { hide, store, signal } = this.#options;
    const { organization } = this.#one;
    const scope = systemScope(organization);
    let last: Position | null = null;
    const isLater = (position: Position) => last === null || store.compare(position, last) > 0;
    const faults: unknown[] = [];
    const remove = async (one: SeenDocument | string) => {
      if (signal.aborted || faults.length > 0) return;
      if (tag !== null && (typeof one === 'string' || one.tags.length > 1)) {
        const removed = await this.#removeTag(typeof one === 'string' ? one : one.id, tag, cause);
        if (removed.position !== null && isLater(removed.position)) last = removed.position;
        if (!removed.isSole) return;
      }
      const deleted =
        typeof one === 'string'
          ? await this.#deletion.delete(scope, cause, one)
          : await this.#deletion.deleteSeen(scope, cause, one);
      if (!deleted.ok) return;
      const { id, position, memories } = deleted.value;
      this.#documents = (this.#documents ?? 0) + 1;
      if (isLater(position)) last = position;
      for (const gone of [id, ...memories]) {
        hide({ organization, id: gone }, position);
        this.#unerased.add(gone);
      }
    };
    // After an error the deleted ones are counted in the log, which is right only when no deletion is in flight any more.
    await pLimit(CONCURRENCY).map(documents, (one) => remove(one).catch((error) => faults.push(error)));
    if (faults.length > 0) throw faults[0];
    const [areGone] = await Promise.all([this.#reached(last), this.#erase()]);
    return areGone;
  }

  /** Takes the tag from a document, unless it carries no other one. A document that cannot be read any more keeps it. */
  async #removeTag(
    id: string,
    tag: string,
    cause: Cause,
  ): Promise<{ readonly isSole: boolean; readonly position: Position | null }> {
    const scope = systemScope(this.#one.organization);
    let isSole = false;
    try {
      const changed = await this.#options.documents.change(scope, id, cause, (state) => {
        isSole = state.status === 'live' && state.tags.length === 1 && state.tags[0] === tag;
        return ok(isSole ? [] : decideUntagged(state, tag));
      });
      return { isSole, position: changed.ok ? changed.value.position : null };
    } catch (error) {
      if (lossIn(error) === null) throw error;
      return { isSole: false, position: null };
    }
  }

  /** What cannot be erased does not hold the deletion up; it is answered as an error. The garbage collection repeats it. */
  async #erase(): Promise<void> {
    const { erasure, logger } = this.#options;
    const { organization, id: deletion } = this.#one;
    const ids = [...this.#unerased];
    this.#unerased.clear();
    const failures = new Failures();
    await pLimit(CONCURRENCY).map(ids, (id) => failures.unless(id, () => erasure.erase(organization, id)));
    if (failures.count === 0) return;
    this.#failed += failures.count;
    const what = `what ${failures.count} documents of the bulk deletion ${deletion} have left`;
    logger.warn(`${what} is erased later; the first: ${failures.first}`, failures.cause);
  }

  /** Whether the views got there in time, and before the signal aborted. */
  async #reached(position: Position | null): Promise<boolean> {
    const { views, signal } = this.#options;
    for (let waited = 0; waited < VIEWS_WAIT_MS && !signal.aborted; waited += LOOK_AGAIN_MS) {
      if (await views.progress.reached(position, LOOK_AGAIN_MS)) return true;
    }
    return false;
  }
}
