import { randomBytes } from 'node:crypto';
import { removeOpenSearchViews } from '#views';
import { installCurrentNats, startNats, startOpenSearch } from '../../engines/engines.ts';
import { EventStoreDbProcess } from '../../support/eventstoredb/database.ts';
import { eventually, Mneme } from '../../support/mneme.ts';

export interface Engines {
  readonly openSearchUrl: string;
  /** Of the server that is started for each cluster. */
  readonly natsProgram: string;
  stop(): Promise<void>;
}

/** Installs what is not there yet. OpenSearch gets the memory and the compiler that it would have in earnest. */
export async function startEngines(progress: (line: string) => void): Promise<Engines> {
  const natsProgram = await installCurrentNats();
  const openSearch = await startOpenSearch(progress, { java: 'measuring' });
  return { openSearchUrl: openSearch.url, natsProgram, stop: () => openSearch.stop() };
}

/** Processes of the built program that share nothing but the engines. */
export interface Cluster {
  readonly api: Mneme;
  stop(): Promise<void>;
}

/**
 * One process for the API and some for the work behind it, with an event store and a NATS of their own: nothing is left of
 * the cluster before. The event store is the tests' server, which keeps its log in memory.
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
    // The first worker makes the views.
    await eventually(async () => ((await api.post('/v3/documents/list', { limit: 1 })).status === 200 ? true : null));
    return { api, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
