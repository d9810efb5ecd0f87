import { statfsSync } from 'node:fs';
import { StorageFullError } from '#event-store';
import type { Clock } from '#kernel';
import type { KeptStreamsWatch } from '#runtime';

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
  #writable = true;

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

  writable(): boolean {
    const now = this.#clock.now();
    if (now - this.#lookedAt >= LOOK_EVERY_MS) {
      const { bavail, bsize } = statfsSync(this.#folder);
      this.#writable = bavail * bsize >= this.#minFreeBytes;
      this.#lookedAt = now;
    }
    return this.#writable;
  }

  /** @throws StorageFullError, NatsStreamMissingError */
  assertWritable(): void {
    this.#streams?.assertNoneMissing();
    if (!this.writable()) throw new StorageFullError('what is left of the disk is kept for deletions');
  }
}
