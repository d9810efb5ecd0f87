import { existsSync } from 'node:fs';
import type { Config } from '#config';
import type { JsonObject } from '#kernel';

/** Longest wait for views that are behind the log, before what they show is taken for what there is. Milliseconds. */
const CATCH_UP_MS = 10 * 60_000;
/** What is asked of the log alone, or about how far the views are. */
const AS_THEY_ARE = new Set(['events-export', 'events-tail']);

/**
 * Has an operation carried out: by the server that works on the data folder, else here, on the engines that the settings
 * choose.
 * @throws OperatorError, DataFolderInUseError, and what an engine says that cannot be reached
 */
export async function* operateOn(
  config: Config,
  name: string,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const { callControl } = await import('#control');
  const answer = await callControl(config.dataFolder, name, input, signal);
  yield* answer ?? operateHere(config, name, input, signal);
}

async function* operateHere(
  config: Config,
  name: string,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const [{ dataFiles, openParts, probeEngines }, { examine, operate, OperatorError }, { systemClock: clock }] =
    await Promise.all([import('#runtime'), import('#operations'), import('#kernel')]);
  const { dataFolder } = config;
  if (config.eventStoreUrl === null && !existsSync(dataFiles(dataFolder).events)) {
    throw new OperatorError(`${dataFolder} holds no event log; name the data folder with --data or MNEME_DATA`);
  }
  if (name === 'doctor') {
    const engines = await probeEngines(config);
    try {
      yield* examine({ config, clock, server: null, engines });
    } finally {
      await engines.close();
    }
    return;
  }
  const parts = await openParts(config, { clock, logger: console });
  const stopping = new AbortController();
  try {
    const { views, storage } = parts;
    if (config.openSearchUrl === null && !AS_THEY_ARE.has(name)) {
      const following = views.follow({ fencingToken: 0, signal: AbortSignal.any([signal, stopping.signal]) });
      await Promise.race([views.progress.reached(await storage.store.head(), CATCH_UP_MS), following]);
    }
    yield* operate({ config, parts, server: null, clock }, name, input, signal);
  } finally {
    stopping.abort();
    await parts.close();
  }
}
