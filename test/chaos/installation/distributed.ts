import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeOpenSearchViews } from '#read-side/views';
import { startNatsServer } from '../../../libs/platform/nats/src/testing/nats-server.ts';
import { TcpProxy } from '../../support/cluster.ts';
import { runMneme } from '../../support/command.ts';
import { EventStoreDbProcess } from '../../support/eventstoredb/database.ts';
import { SmallDisk } from '../../support/small-disk.ts';
import { type ChaosEngines, engineFaults } from './engine-faults.ts';
import type { Fault, Installation } from './installation.ts';
import { processFaults } from './process-faults.ts';
import { CHAOS_ENV, ServerProcess } from './server-process.ts';

const DISK_MB = 1_024;
/** Longer than the ten seconds after which a lease is taken over. */
const LONGEST_FREEZE_MS = 14_000;
const ROLES = { 'api-1': 'api', 'api-2': 'api', 'worker-1': 'worker', 'worker-2': 'worker' } as const;

interface Parts extends ChaosEngines {
  /** Of OpenSearch itself, behind the proxy. */
  readonly openSearchUrl: string;
  readonly controlFolder: string;
}

/**
 * Two API processes and two workers, with their own NATS server and their own server of EventStoreDB's protocol. OpenSearch
 * is shared with other tests, so a proxy in front of it causes its faults.
 */
export class DistributedInstallation implements Installation {
  readonly name = 'distributed';
  readonly processes: readonly ServerProcess[];
  readonly faults: readonly Fault[];
  readonly folders: readonly string[];
  readonly #parts: Parts;
  readonly #prefix = `t${randomBytes(6).toString('hex')}`;
  readonly #env: Readonly<Record<string, string>>;

  /** The program of NATS is named by MNEME_TEST_NATS_SERVER. */
  static async start(openSearchUrl: string): Promise<DistributedInstallation> {
    const controlFolder = await mkdtemp(join(tmpdir(), 'mneme-chaos-'));
    const disk = await SmallDisk.mount(DISK_MB);
    const nats = await startNatsServer(['-js'], disk?.folder ?? controlFolder);
    const log = await EventStoreDbProcess.start();
    const openSearch = await TcpProxy.start(openSearchUrl);
    const installation = new DistributedInstallation({ disk, nats, log, openSearch, openSearchUrl, controlFolder });
    try {
      // The first process creates the streams and issues the first key.
      const [first, ...others] = installation.processes;
      await first?.start();
      await Promise.all(others.map((process) => process.start()));
      return installation;
    } catch (error) {
      await installation.remove();
      throw error;
    }
  }

  private constructor(parts: Parts) {
    this.#parts = parts;
    const { nats, log, openSearch, disk, controlFolder } = parts;
    this.#env = {
      MNEME_EVENTSTORE_URL: log.url,
      MNEME_NATS_URL: nats.url,
      MNEME_OPENSEARCH_URL: openSearch.url,
      MNEME_PREFIX: this.#prefix,
    };
    const dataFolderOf = (name: string) => join(disk?.folder ?? controlFolder, name);
    this.processes = Object.entries(ROLES).map(([name, role]) => {
      const env = { ...this.#env, MNEME_ROLE: role };
      return new ServerProcess({ name, dataFolder: dataFolderOf(name), controlFolder, env });
    });
    // EventStoreDB has sealed payloads only, and OpenSearch is asked by searches.
    this.folders = [nats.folder, ...Object.keys(ROLES).map(dataFolderOf)];
    this.faults = [...processFaults(this.processes, LONGEST_FREEZE_MS), ...engineFaults(parts)];
  }

  get apis(): readonly ServerProcess[] {
    return this.processes.filter(({ name }) => ROLES[name as keyof typeof ROLES] === 'api');
  }

  async command(...args: readonly string[]): Promise<string | null> {
    const folder = join(this.#parts.controlFolder, 'command');
    await mkdir(folder, { recursive: true });
    const { code, out, err } = await runMneme(args, { folder, env: { ...CHAOS_ENV, ...this.#env } });
    return code === 0 ? null : `${out}${err}`;
  }

  async remove(): Promise<void> {
    const { nats, log, openSearch, openSearchUrl, disk, controlFolder } = this.#parts;
    await Promise.all(this.processes.map((process) => process.end('SIGKILL')));
    await openSearch.cut();
    await nats.remove();
    await log.stop();
    await removeOpenSearchViews({ url: openSearchUrl, prefix: this.#prefix });
    await disk?.unmount();
    await rm(controlFolder, { recursive: true, force: true });
  }
}
