import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runMneme } from '../../support/command.ts';
import { SmallDisk } from '../../support/small-disk.ts';
import type { Fault, Installation } from './installation.ts';
import { processFaults } from './process-faults.ts';
import { CHAOS_ENV, ServerProcess } from './server-process.ts';

const DISK_MB = 1_024;
/** The default of MNEME_MIN_FREE_MB. */
const MIN_FREE_MB = 64;
const LONGEST_FREEZE_MS = 4_000;

/** One process, with its data folder on a small disk if this process may mount one. */
export class EmbeddedInstallation implements Installation {
  readonly name = 'embedded';
  readonly processes: readonly ServerProcess[];
  readonly faults: readonly Fault[];
  readonly folders: readonly string[];
  readonly #controlFolder: string;
  readonly #dataFolder: string;
  readonly #disk: SmallDisk | null;

  static async start(): Promise<EmbeddedInstallation> {
    const controlFolder = await mkdtemp(join(tmpdir(), 'mneme-chaos-'));
    const installation = new EmbeddedInstallation(controlFolder, await SmallDisk.mount(DISK_MB));
    try {
      await installation.#server.start();
      return installation;
    } catch (error) {
      await installation.remove();
      throw error;
    }
  }

  private constructor(controlFolder: string, disk: SmallDisk | null) {
    this.#controlFolder = controlFolder;
    this.#disk = disk;
    this.#dataFolder = join(disk?.folder ?? controlFolder, 'data');
    this.folders = [this.#dataFolder];
    const env = { MNEME_MIN_FREE_MB: String(MIN_FREE_MB) };
    this.processes = [new ServerProcess({ name: 'server', dataFolder: this.#dataFolder, controlFolder, env })];
    this.faults = [...processFaults(this.processes, LONGEST_FREEZE_MS), ...(disk === null ? [] : [diskFilled(disk)])];
  }

  get apis(): readonly ServerProcess[] {
    return this.processes;
  }

  async command(...args: readonly string[]): Promise<string | null> {
    const { code, out, err } = await runMneme(args, { folder: this.#dataFolder, env: CHAOS_ENV });
    return code === 0 ? null : `${out}${err}`;
  }

  async remove(): Promise<void> {
    await this.#server.end('SIGKILL');
    await this.#disk?.unmount();
    await rm(this.#controlFolder, { recursive: true, force: true });
  }

  get #server(): ServerProcess {
    return this.processes[0] as ServerProcess;
  }
}

/** Fills the disk to the last byte, or until adds are refused and deletions still work. */
const diskFilled = (disk: SmallDisk): Fault => ({
  name: 'disk filled',
  weight: 2,
  run: async (random) => {
    disk.fill(random.chance(0.5) ? 0 : random.int(1, MIN_FREE_MB - 1));
    await pause(random.int(1_000, 5_000));
    disk.free();
  },
});
