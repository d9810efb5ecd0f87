import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import {
  type AccessScope,
  contentHash,
  err,
  hasCode,
  mnemeError,
  ok,
  permitsEach,
  type Result,
} from '#platform/kernel';
import { type EventStore, type Position, requestCause } from '#ports/event-store';
import type { DocumentDeletion } from '../deletion/document-deletion.ts';
import { ErasureDelayedError } from '../deletion/erasure-delayed.ts';
import type { AccessRefusal } from '../document-change.ts';
import { deletionStream } from '../streams.ts';
import type { DeletionLog, DeletionRequest, LoggedDeletion } from './deletion-log.ts';
import { isDocumentId, type OpenDeletion } from './evolve.ts';

/**
 * The documents to delete: by internal ids or customIds, with at least one of the tags, at a filepath (exact, or a prefix if
 * it ends in `/`), or all of the organization. By `tag` or `reset`, what callers have set is erased after them; see
 * `SelectedBy`.
 */
export type Selection =
  | { readonly by: 'ids'; readonly ids: readonly string[] }
  | { readonly by: 'tags'; readonly tags: readonly string[] }
  | { readonly by: 'filepath'; readonly filepath: string }
  | { readonly by: 'all' }
  | { readonly by: 'tag'; readonly tag: string }
  | { readonly by: 'reset' };

const AMBIGUOUS = 'ambiguous_custom_id';

/** `ambiguous_custom_id`: several documents that the scope permits to delete have the customId. */
type IdRefusal = AccessRefusal | typeof AMBIGUOUS;

export interface DeletionTotals {
  readonly deletedCount: number;
  /** An entry for each id that names no document which the scope permits to delete. */
  readonly errors: readonly { readonly id: string; readonly error: IdRefusal }[];
}

export interface BulkDeletionsOptions {
  readonly store: EventStore;
  readonly log: DeletionLog;
  readonly deletion: DocumentDeletion;
}

/** Ids that are looked up at a time. */
const CONCURRENCY = 128;
/** Lost races against other requests. */
const ATTEMPTS = 8;
/** How long a request that another one is recording is waited for: its process may have ended. Milliseconds. */
const RECORDED_WITHIN_MS = 2_000;
const LOOK_AGAIN_MS = 10;

/** Requests bulk deletions, which `runDeletions` carries out in this process or in another one. */
export class BulkDeletions {
  readonly #options: BulkDeletionsOptions;

  constructor(options: BulkDeletionsOptions) {
    this.#options = options;
  }

  /**
   * Deletes every selected document that was added before the call, and none that is added later. Resolves when no read
   * returns them. The deletion is recorded: it is finished after a restart too, and the same call joins it meanwhile and
   * resolves with its totals.
   * @param signal ends the wait, not the deletion
   * @returns `forbidden`: the scope does not contain every tag of the selection, or any tag at all
   * @throws DeletionContinuesError when the signal aborts; ErasureDelayedError
   */
  async delete(
    scope: AccessScope,
    actor: string,
    selection: Selection,
    signal: AbortSignal,
  ): Promise<Result<DeletionTotals, 'forbidden'>> {
    if (selection.by === 'tags' && !permitsEach(scope, selection.tags)) return err('forbidden');
    if (selection.by === 'tag' && !permitsEach(scope, [selection.tag])) return err('forbidden');
    if ((selection.by === 'all' || selection.by === 'reset') && scope.tags !== 'all') return err('forbidden');
    // An empty list of tags would be recorded as no restriction.
    if (selection.by === 'filepath' && scope.tags.length === 0) return err('forbidden');
    const ids = selection.by === 'ids' ? [...new Set(selection.ids)].sort() : [];
    const { organization } = scope;
    const { id, position, resolved } = await this.#request(scope, actor, selection, ids);
    await this.#finished({ organization, id }, position, signal);
    const { state } = await this.#options.log.read({ organization, id });
    const deletedCount = state.status === 'finished' ? state.documents : 0;
    if (state.status === 'finished' && state.unerased > 0)
      throw new ErasureDelayedError({ deleted: deletedCount, unerased: state.unerased });
    const errors = ids.flatMap((name, i) =>
      isDocumentId(resolved[i] as string) ? [] : [{ id: name, error: resolved[i] as IdRefusal }],
    );
    return ok({ deletedCount, errors });
  }

  /** Joins the same request if it is being carried out, else opens a bulk deletion. */
  async #request(
    scope: AccessScope,
    actor: string,
    selection: Selection,
    ids: readonly string[],
  ): Promise<{ readonly id: string; readonly position: Position; readonly resolved: readonly string[] }> {
    const { log } = this.#options;
    const cause = requestCause(actor);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { open, recorded } = await this.#open(scope.organization);
      const resolved = await pLimit(CONCURRENCY).map(ids, async (id) => {
        try {
          const found = await this.#options.deletion.find(scope, id);
          return found.ok ? found.value : found.error;
        } catch (error) {
          if (hasCode(error, AMBIGUOUS)) return AMBIGUOUS;
          throw error;
        }
      });
      const request = requestOf(scope, selection, ids, resolved);
      const same = recorded.find(
        ({ state }) => state.status === 'running' && state.fingerprint === request.fingerprint,
      );
      if (same === undefined) {
        const begun = await log.begin(scope.organization, open, request, cause);
        if (begun !== null) return { ...begun, resolved };
      } else {
        const joined = { ...request, resolved: resolved.map((now, i) => resolvedOf(same, i, now)) };
        const position = await log.join(same, joined, cause);
        if (position !== null) return { id: same.id, position, resolved: joined.resolved };
      }
    }
    throw new DeletionContinuesError('Other bulk deletions were requested at the same time. Repeat the request.');
  }

  /** Returns the open bulk deletions, and those of the organization with their requests, when these are recorded. */
  async #open(
    organization: string,
  ): Promise<{ readonly open: readonly OpenDeletion[]; readonly recorded: readonly LoggedDeletion[] }> {
    const { log } = this.#options;
    for (const until = performance.now() + RECORDED_WITHIN_MS; ; await pause(LOOK_AGAIN_MS)) {
      const open = await log.open();
      const own = open.filter((one) => one.organization === organization);
      const recorded = await Promise.all(own.map((one) => log.read(one)));
      const areRecorded = recorded.every(({ state }) => state.status !== 'absent');
      if (areRecorded || performance.now() > until) return { open, recorded };
    }
  }

  async #finished({ organization, id }: OpenDeletion, after: Position, signal: AbortSignal): Promise<void> {
    const stream = deletionStream(organization, id);
    const filter = { types: ['BulkDeletionFinished'] };
    for await (const { events } of this.#options.store.subscribe({ after, filter, envelopesOnly: true, signal })) {
      if (events.some((event) => event.stream === stream)) return;
    }
    throw new DeletionContinuesError('The server stops. The deletion goes on when it is started again.');
  }
}

/** The deletion goes on after the call. The same call joins it. */
class DeletionContinuesError extends mnemeError('transient', 'deletion_continues') {}

/** A document that the first request has found may be deleted by now. */
function resolvedOf({ state }: LoggedDeletion, index: number, now: string): string {
  const before = state.status === 'running' ? state.resolved[index] : undefined;
  return isDocumentId(now) || before === undefined ? now : before;
}

function requestOf(
  scope: AccessScope,
  selection: Selection,
  ids: readonly string[],
  resolved: readonly string[],
): DeletionRequest {
  const { by } = selection;
  const filepath = selection.by === 'filepath' ? selection.filepath : null;
  // Ids were checked against the scope when they were looked up.
  const restriction = by === 'ids' || scope.tags === 'all' ? [] : scope.tags;
  const named = selection.by === 'tag' ? [selection.tag] : restriction;
  const tags = selection.by === 'tags' ? selection.tags : named;
  const permitted = scope.tags === 'all' ? 'all' : JSON.stringify([...scope.tags].sort());
  const fingerprint = contentHash(by, permitted, JSON.stringify([...tags].sort()), filepath ?? '', JSON.stringify(ids));
  return { by, fingerprint, filepath, tags, resolved };
}
