import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from '#composition/runtime';
import { eventually, Mneme } from '../../support/mneme.ts';
import type { Bench, BenchOptions, EngineBench, Outcome } from './bench.ts';
import { startSharedEngines } from './engines.ts';

type Storage = Awaited<ReturnType<typeof openStorage>>;

/** What servers keep, on embedded or on distributed engines. */
export interface Installation {
  /**
   * Starts a server that does everything. One at a time, stopped by the caller.
   * @param env further settings. Default: none, so that embedding is off.
   */
  start(env?: Readonly<Record<string, string>>): Promise<Mneme>;
  /** Opens the storage while no server runs. */
  openStorage(): Promise<Storage>;
}

/** A benchmark of one server. On distributed engines its figures have no target. */
export interface InstallationBench {
  readonly name: string;
  run(options: BenchOptions, installation: Installation): Promise<Outcome>;
}

const CACHE_BYTES = 256 * 1024 * 1024;

export const onEmbedded = ({ name, run }: InstallationBench): Bench => ({
  name,
  run: (options) =>
    inFolder(async (folder) =>
      run(options, {
        start: (env = {}) => Mneme.start({ folder, env }),
        openStorage: () => openStorage({ ...settingsOf(folder), prefix: 'mneme' }, console.error),
      }),
    ),
});

export const onEngines = ({ name, run }: InstallationBench): EngineBench => ({
  name,
  run: (options, engines) =>
    inFolder(async (folder) => {
      const shared = await startSharedEngines(engines);
      try {
        const { rows, raw } = await run(options, installationOn(folder, shared.env));
        return {
          rows: rows.map((row) => ({ ...row, what: `${row.what}, distributed engines`, target: '', met: null })),
          raw,
        };
      } finally {
        await shared.stop();
      }
    }),
});

function installationOn(folder: string, engines: Awaited<ReturnType<typeof startSharedEngines>>['env']): Installation {
  return {
    async start(env = {}) {
      const mneme = await Mneme.start({ folder, env: { ...engines, ...env } });
      // The first server creates the views.
      await eventually(async () =>
        (await mneme.post('/v3/documents/list', { limit: 1 })).status === 200 ? true : null,
      );
      return mneme;
    },
    openStorage: () =>
      openStorage(
        {
          ...settingsOf(folder),
          ...{ eventStoreUrl: engines.MNEME_EVENTSTORE_URL, natsUrl: engines.MNEME_NATS_URL },
          ...{ openSearchUrl: engines.MNEME_OPENSEARCH_URL, prefix: engines.MNEME_PREFIX },
        },
        console.error,
      ),
  };
}

const settingsOf = (dataFolder: string) =>
  ({ dataFolder, cacheBytes: CACHE_BYTES, eventStoreUrl: null, natsUrl: null, openSearchUrl: null }) as const;

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
