import { statfsSync } from 'node:fs';
import type { KeptStreamsWatch } from '#composition/runtime';
import { type Clock, ResourceError } from '#platform/kernel';
import { StorageFullError } from '#ports/event-store';

const LOOK_EVERY_MS = 250;

/**
 * Keeps the last part of the disk for deletions, which have to write before they free anything, and refuses adds while a
 * stream that holds data is missing.
 */
export class DiskGuard {
  readonly #streams: Pick<KeptStreamsWatch, 'assertNoneMissing'> | null;
  readonly #folder: string;
  readonly #minFreeBytes: number;
  readonly #clock: Clock;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #free: number | Error = Number.POSITIVE_INFINITY;

  /** @param streams null: no data is on NATS */
  constructor(
    folder: string,
    minFreeBytes: number,
    clock: Clock,
    streams: Pick<KeptStreamsWatch, 'assertNoneMissing'> | null,
  ) {
    this.#streams = streams;
    this.#folder = folder;
    this.#minFreeBytes = minFreeBytes;
    this.#clock = clock;
  }

  /** False also while the disk cannot be asked. */
  writable(): boolean {
    const free = this.#freeBytes();
    return typeof free === 'number' && free >= this.#minFreeBytes;
  }

  /** @throws StorageFullError, NatsStreamMissingError; ResourceError, which is transient, if the disk cannot be asked */
  assertWritable(): void {
    this.#streams?.assertNoneMissing();
    if (this.writable()) return;
    const free = this.#freeBytes();
    if (typeof free === 'number') throw new StorageFullError('what is left of the disk is kept for deletions');
    const reason = `the free space of ${this.#folder} cannot be read: ${free.message}`;
    throw new ResourceError('io_error', reason, { cause: free });
  }

  #freeBytes(): number | Error {
    const now = this.#clock.now();
    if (now - this.#lookedAt < LOOK_EVERY_MS) return this.#free;
    this.#lookedAt = now;
    try {
      const { bavail, bsize } = statfsSync(this.#folder);
      this.#free = bavail * bsize;
    } catch (error) {
      this.#free = error as Error;
    }
    return this.#free;
  }
}
