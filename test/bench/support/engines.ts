import { randomBytes } from 'node:crypto';
import { removeOpenSearchViews } from '#views';
import { installCurrentNats, startNats, startOpenSearch } from '../../engines/engines.ts';
import { EventStoreDbProcess } from '../../support/eventstoredb/database.ts';
import { eventually, Mneme } from '../../support/mneme.ts';

export interface Engines {
  readonly openSearchUrl: string;
  /** Program of the NATS server of each cluster. */
  readonly natsProgram: string;
  stop(): Promise<void>;
}

/** Installs missing engines and starts them. OpenSearch gets production memory and compiler settings. */
export async function startEngines(progress: (line: string) => void): Promise<Engines> {
  const natsProgram = await installCurrentNats();
  const openSearch = await startOpenSearch(progress, { java: 'measuring' });
  return { openSearchUrl: openSearch.url, natsProgram, stop: () => openSearch.stop() };
}

/** Processes of the built program that share only the engines. */
export interface Cluster {
  readonly api: Mneme;
  stop(): Promise<void>;
}

/**
 * Starts an API process and workers with a new event store and NATS server, so that clusters share no data. The event store
 * is the in-memory test server.
 */
export async function startCluster({ openSearchUrl, natsProgram }: Engines, workers: number): Promise<Cluster> {
  const prefix = `bench${randomBytes(6).toString('hex')}`;
  const stops: (() => Promise<unknown>)[] = [() => removeOpenSearchViews({ url: openSearchUrl, prefix })];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const nats = await startNats(natsProgram);
    stops.push(() => nats.stop());
    const database = await EventStoreDbProcess.start();
    stops.push(() => database.stop());
    const env = {
      MNEME_EVENTSTORE_URL: database.url,
      MNEME_NATS_URL: nats.url,
      MNEME_OPENSEARCH_URL: openSearchUrl,
      MNEME_PREFIX: prefix,
    };
    const start = async (role: 'api' | 'worker') => {
      const started = await Mneme.start({ env: { ...env, MNEME_ROLE: role } });
      stops.push(() => started.stop());
      return started;
    };
    const api = await start('api');
    for (let i = 0; i < workers; i++) await start('worker');
    // The first worker creates the views.
    await eventually(async () => ((await api.post('/v3/documents/list', { limit: 1 })).status === 200 ? true : null));
    return { api, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
