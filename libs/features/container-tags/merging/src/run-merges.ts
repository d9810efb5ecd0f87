import { setTimeout as pause } from 'node:timers/promises';
import type { TagMerge } from '#features/container-tags';
import { isTransient } from '#platform/kernel';
import type { RunMergesOptions } from './options.ts';
import { runMerge } from './run-merge.ts';

const ATTEMPTS = 3;
const PAUSE_MS = 1_000;

/**
 * Carries out the merges of tags that were started, those of before the start of the process first, until the signal
 * aborts. For one process at a time.
 */
export async function runMerges(options: RunMergesOptions): Promise<void> {
  const { store, merges, signal } = options;
  const filter = { types: ['TagMergeStarted'] };
  for await (const { events } of store.subscribe({ after: null, filter, envelopesOnly: true, signal })) {
    const organizations = new Set(events.map(({ envelope }) => envelope.organization));
    for (const organization of organizations) {
      for (const merge of (await merges.load(organization)).running) {
        if (signal.aborted) return;
        await complete(options, organization, merge);
      }
    }
  }
}

/** Transient errors are met again and again; other errors end the merge after some attempts. */
async function complete(options: RunMergesOptions, organization: string, begun: TagMerge): Promise<void> {
  const { merges, logger, signal } = options;
  let merge = begun;
  while (!signal.aborted) {
    merge = { ...merge, attempt: merge.attempt + 1 };
    try {
      return await runMerge(options, organization, merge);
    } catch (error) {
      if (signal.aborted) return;
      logger.warn(`The merge ${merge.id} of container tags was interrupted: ${String(error)}`, error);
      if (isTransient(error)) merge = { ...merge, attempt: merge.attempt - 1 };
      else if (merge.attempt >= ATTEMPTS) {
        await merges.record(organization, merge, { type: 'TagMergeFailed', payload: null, code: 'merge_failed' });
        return;
      }
      await pause(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
