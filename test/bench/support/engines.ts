import { randomBytes } from 'node:crypto';
import { removeOpenSearchViews } from '#read-side/views';
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

/** The engines of processes that share data. */
export interface SharedEngines {
  readonly env: Readonly<
    Record<'MNEME_EVENTSTORE_URL' | 'MNEME_NATS_URL' | 'MNEME_OPENSEARCH_URL' | 'MNEME_PREFIX', string>
  >;
  stop(): Promise<void>;
}

/**
 * Starts a new event store and NATS server, and names new views, so that nothing is shared with earlier benchmarks. The
 * event store is the in-memory test server.
 */
export async function startSharedEngines({ openSearchUrl, natsProgram }: Engines): Promise<SharedEngines> {
  const prefix = `bench${randomBytes(6).toString('hex')}`;
  const stops: (() => Promise<unknown>)[] = [() => removeOpenSearchViews({ url: openSearchUrl, prefix })];
  const stop = () => stopAll(stops);
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
    return { env, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts an API process and workers that share no data with other clusters. */
export async function startCluster(engines: Engines, workers: number): Promise<Cluster> {
  const shared = await startSharedEngines(engines);
  const { env } = shared;
  const stops: (() => Promise<unknown>)[] = [() => shared.stop()];
  const stop = () => stopAll(stops);
  try {
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

/** In reverse order; again: nothing. */
async function stopAll(stops: (() => Promise<unknown>)[]): Promise<void> {
  for (const each of stops.splice(0).reverse()) await each();
}
