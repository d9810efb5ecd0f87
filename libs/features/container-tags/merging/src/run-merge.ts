import { setTimeout as pause } from 'node:timers/promises';
import { connectionsOf } from '#features/connections/sync';
import { type MergeStage, mergedTags, progressEvent, type TagMerge } from '#features/container-tags';
import { type AccessScope, ok, systemScope } from '#platform/kernel';
import type { Cause } from '#ports/event-store';
import { type DocumentRow, untilShown } from '#read-side/views';
import type { RunMergesOptions } from './options.ts';

/** Documents between two records of the progress. */
const PAGE = 500;
const AT_ONCE = 8;

/**
 * Moves every document from the sources to the target and erases what was set on the sources. May be cut off at any point
 * and repeated: what was moved is not found in the sources any more.
 */
export async function runMerge(options: RunMergesOptions, organization: string, begun: TagMerge): Promise<void> {
  const { store, merges, containerTags, announceMs, signal } = options;
  const scope = systemScope(organization);
  const cause: Cause = { actor: begun.actor, correlationId: begun.id, causationId: null };
  let merge = begun;
  const progress = (stage: MergeStage) => merges.record(organization, merge, progressEvent(merge, stage));

  await progress('waiting_for_ingest');
  await pause(announceMs, undefined, { signal });
  await merges.settled(signal);
  for (let stage: MergeStage = 'copying_vectors'; ; stage = 'db_committing') {
    let moved = 0;
    for (const [index, source] of merge.sources.entries()) {
      for (;;) {
        const rows = await documentsOf(options, scope, source);
        if (rows.length === 0) break;
        await progress(stage);
        moved += await moveAll(options, scope, rows, merge, cause);
        merge = { ...merge, documents: begun.documents + moved };
        signal.throwIfAborted();
      }
      merge = { ...merge, completed: index + 1 };
    }
    // A last pass that finds nothing: what was added just before the merge started has been moved, too.
    if (moved === 0) break;
    begun = { ...begun, documents: merge.documents };
  }
  await progress('cleanup_pending');
  await moveConnections(options, organization, merge, cause);
  for (const source of merge.sources) await containerTags.erase(scope, source, cause);
  await untilShown(options.views.progress, await store.head(), signal);
  await merges.record(organization, merge, { type: 'TagMergeCompleted', payload: null });
}

/** A page of the documents that carry the tag now. */
async function documentsOf(
  options: RunMergesOptions,
  { organization }: AccessScope,
  tag: string,
): Promise<readonly DocumentRow[]> {
  await untilShown(options.views.progress, await options.store.head(), options.signal);
  const none = { holds: 'sources', filter: null, filepath: null, stages: null } as const;
  const page = { sort: 'createdAt', order: 'asc', offset: 0, limit: PAGE } as const;
  const { rows } = await options.views.reader.list({ scope: { organization, tags: [tag] }, ...none, ...page });
  return rows;
}

async function moveAll(
  { documents, signal }: RunMergesOptions,
  scope: AccessScope,
  rows: readonly DocumentRow[],
  merge: TagMerge,
  cause: Cause,
): Promise<number> {
  const left = [...rows];
  let moved = 0;
  const work = async () => {
    for (let row = left.shift(); row !== undefined && !signal.aborted; row = left.shift()) {
      const changed = await documents.change<never>(scope, row.id, cause, (state) => {
        const tags = state.status === 'live' ? mergedTags(state.tags, merge) : [];
        const isSame = state.status !== 'live' || tags.join('\0') === state.tags.join('\0');
        return ok(isSame ? [] : { events: [{ type: 'DetailsChanged', payload: {} }], tags });
      });
      if (changed.ok && changed.value.position !== null) moved += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return moved;
}

/** What they sync from then on gets the target. */
async function moveConnections(
  { connections, views }: RunMergesOptions,
  organization: string,
  merge: TagMerge,
  cause: Cause,
): Promise<void> {
  for (const id of await connectionsOf(views.reader, organization)) {
    await connections.moveTags({ organization, id }, cause, (tags) => mergedTags(tags, merge));
  }
}
