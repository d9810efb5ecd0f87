import { setTimeout as pause } from 'node:timers/promises';
import { type DocumentRepository, type Erasure, KeptReadings } from '#features/documents';
import { type Clock, withoutCredentials } from '#platform/kernel';
import type { BlobStore } from '#ports/blobs';
import type { EventStore } from '#ports/event-store';
import { Failures } from './failures.ts';
import { ErasureFinisher } from './finish-erasures.ts';
import { removeLeftReadings } from './left-readings.ts';
import { removeOrphans } from './orphans.ts';
import { type SweepOptions, sweepErased } from './sweep.ts';

export interface CollectOptions extends SweepOptions {
  readonly store: EventStore;
  readonly blobs: BlobStore;
  readonly erasure: Erasure;
  readonly documents: Pick<DocumentRepository, 'load' | 'erasures' | 'orphans'>;
  readonly clock: Clock;
  readonly logger: { warn(message: string, cause?: unknown): void; error(message: string, cause?: unknown): void };
}

/** An erasure that was interrupted is finished within a minute. Milliseconds. */
const FINISH_EVERY_MS = 30_000;
const SWEEP_EVERY_MS = 60 * 60_000;
/** Each time every document with blobs is looked up. Milliseconds. */
const ORPHANS_EVERY_MS = 24 * 60 * 60_000;
/** After an error. Milliseconds. */
const AGAIN_MS = 30_000;
/** After something could not be removed, though the rest could. Milliseconds. */
const FAILED_AGAIN_MS = 10 * 60_000;

/**
 * Finishes erasures, and removes what nothing in the log owns any more, until the signal aborts. Resolves at once then; a
 * call to a store that still runs is left to itself. An error is logged, and the work is done again.
 */
export async function collectGarbage(options: CollectOptions): Promise<void> {
  const { signal } = options;
  const aborted = Promise.withResolvers<void>();
  const abort = () => aborted.resolve();
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    await Promise.race([collect(options), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Each kind of work is repeated by itself, so that none waits for another one. */
async function collect(options: CollectOptions): Promise<void> {
  const { blobs, documents, signal } = options;
  const finisher = new ErasureFinisher(options);
  await Promise.all([
    repeat(options, FINISH_EVERY_MS, () => finisher.finish(signal)),
    repeat(options, SWEEP_EVERY_MS, () => sweep(options)),
    repeat(options, ORPHANS_EVERY_MS, () => removeOrphans(options)),
    repeat(options, ORPHANS_EVERY_MS, () => removeLeftReadings(new KeptReadings(blobs), documents, signal)),
    repeat(options, ORPHANS_EVERY_MS, () => removeInterrupted(options)),
  ]);
}

/** @param work may return Failures */
async function repeat(
  { logger, signal }: CollectOptions,
  everyMs: number,
  work: () => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    let wait = everyMs;
    try {
      const failures = await work();
      if (failures instanceof Failures && failures.count > 0 && !signal.aborted) {
        wait = Math.min(everyMs, FAILED_AGAIN_MS);
        const { count, first, cause } = failures;
        logger.warn(
          `garbage collection could not remove ${count} items and tries again later; the first: ${first}`,
          cause,
        );
      }
    } catch (error) {
      wait = Math.min(everyMs, AGAIN_MS);
      if (!signal.aborted) logger.error(`garbage collection failed: ${withoutCredentials(String(error))}`, error);
    }
    await pause(wait, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

async function removeInterrupted({ blobs, signal }: CollectOptions): Promise<Failures> {
  const failures = new Failures();
  await failures.unless('interrupted writes of blobs', () => blobs.removeInterrupted(signal));
  return failures;
}

async function sweep(options: CollectOptions): Promise<Failures> {
  const { removed, failures } = await sweepErased(options);
  if (removed > 0)
    options.logger.warn(`garbage collection removed what was left of ${removed} deleted documents or values`);
  return failures;
}
