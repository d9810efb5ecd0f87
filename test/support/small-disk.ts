import { execFile } from 'node:child_process';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MEGABYTE = 1024 * 1024;

/** A file system of a few megabytes in memory, to test a full or read-only disk. */
export class SmallDisk {
  readonly folder: string;

  /**
   * Returns null, with a warning, if this process may not mount.
   * @param files most files, the root folder included. Default: as many as there is space for
   */
  static async mount(megabytes: number, files = 0): Promise<SmallDisk | null> {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-small-disk-'));
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,nr_inodes=${files}`, 'tmpfs', folder]);
      return new SmallDisk(folder);
    } catch (error) {
      await rm(folder, { recursive: true });
      console.warn(`Tests with a small disk are SKIPPED: ${(error as Error).message}`);
      return null;
    }
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  get freeMegabytes(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return (bavail * bsize) / MEGABYTE;
  }

  /** Fills the disk until `leaving` megabytes are free. */
  fill(leaving: number): void {
    const file = openSync(this.#ballast, 'a');
    try {
      for (let excess = this.freeMegabytes - leaving; excess > 0; excess = this.freeMegabytes - leaving) {
        writeSync(file, Buffer.alloc(Math.min(MEGABYTE, Math.ceil(excess * MEGABYTE)), 'b'));
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  /** Frees the space taken by `fill`. */
  free(): void {
    rmSync(this.#ballast, { force: true });
  }

  async makeReadOnly(): Promise<void> {
    await run('mount', ['-o', 'remount,ro', this.folder]);
  }

  async unmount(): Promise<void> {
    await run('umount', [this.folder]);
    await rm(this.folder, { recursive: true });
  }

  get #ballast(): string {
    return join(this.folder, 'ballast');
  }
}
