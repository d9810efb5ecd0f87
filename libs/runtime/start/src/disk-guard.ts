import { statfsSync } from 'node:fs';
import { StorageFullError } from '#event-store';
import type { Clock } from '#kernel';

const LOOK_EVERY_MS = 250;

/** Keeps the last part of the disk for deletions, which have to write before they free anything. */
export class DiskGuard {
  readonly #folder: string;
  readonly #minFreeBytes: number;
  readonly #clock: Clock;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #writable = true;

  constructor(folder: string, minFreeBytes: number, clock: Clock) {
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

  assertWritable(): void {
    if (!this.writable()) throw new StorageFullError('what is left of the disk is kept for deletions');
  }
}
