import { randomFillSync } from 'node:crypto';
import { closeSync, fstatSync, openSync, rmSync, writeSync } from 'node:fs';

const STEP_BYTES = 1024 * 1024;

/** Disk space that a file holds until it is needed: for work that has to succeed when nothing else can be written. */
export class SpaceReserve {
  readonly #file: string;
  #bytes = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Extends the reserve to at least this many bytes. Returns false if the disk has no space for it. */
  hold(bytes: number): boolean {
    if (this.#bytes >= bytes) return true;
    try {
      this.#extend(bytes);
    } catch {
      // The disk has no space now. The next call tries again.
    }
    return this.#bytes >= bytes;
  }

  /** Runs `work` while the reserved space is free, and takes it again. */
  use<T>(work: () => T): T {
    const bytes = this.#bytes;
    this.release();
    try {
      return work();
    } finally {
      this.hold(bytes);
    }
  }

  /** Gives the space back. */
  release(): void {
    rmSync(this.#file, { force: true });
    this.#bytes = 0;
  }

  #extend(bytes: number): void {
    const file = openSync(this.#file, 'a', 0o600);
    try {
      this.#bytes = fstatSync(file).size;
      // Random bytes, because a file system may store zeros without space.
      const step = new Uint8Array(STEP_BYTES);
      while (this.#bytes < bytes) this.#bytes += writeSync(file, randomFillSync(step));
    } finally {
      closeSync(file);
    }
  }
}
