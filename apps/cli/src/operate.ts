import type { Config } from '#platform/config';
import type { JsonObject } from '#platform/kernel';

/** Longest wait for views that are behind the log; after that they are used as they are. Milliseconds. */
const CATCH_UP_MS = 10 * 60_000;
/** Operations that work on the log and do not wait for the views. */
const LOG_ONLY = new Set([
  ...['backup', 'events-export', 'events-tail', 'export', 'import', 'orphans'],
  ...['keys-list', 'keys-create', 'keys-change', 'keys-revoke'],
  ...['team-list', 'team-invite', 'team-remove'],
  ...['organizations-list', 'organizations-create', 'organizations-change', 'organizations-delete'],
  ...['quotas-show', 'quotas-set'],
  ...['secrets-list', 'secrets-rotate'],
]);

/**
 * Runs an operation on the server that uses the data folder; without a server, in this process on the configured engines.
 * @throws OperatorError, DataFolderUnusableError, DataFolderInUseError, and errors of unreachable engines
 */
export async function* operateOn(
  config: Config,
  name: string,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  if (name === 'restore') {
    // A server on the data folder prevents a restore.
    const { restoreBackup } = await import('#composition/operations');
    yield* restoreBackup(config, input, signal);
    return;
  }
  if (name === 'init') {
    // No server starts while a stream is missing.
    const { initialize } = await import('#composition/operations');
    yield* initialize(config);
    return;
  }
  const { callControl } = await import('#platform/control-socket');
  const answer = await callControl(config.dataFolder, name, input, signal);
  yield* answer ?? operateHere(config, name, input, signal);
}

async function* operateHere(
  config: Config,
  name: string,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const [{ checkDataFolder, openParts, probeEngines }, { checkOperation, examine, operate }, { systemClock: clock }] =
    await Promise.all([import('#composition/runtime'), import('#composition/operations'), import('#platform/kernel')]);
  await checkDataFolder(config.dataFolder);
  await checkOperation(config, name, input);
  if (name === 'doctor') {
    const engines = await probeEngines(config);
    try {
      yield* examine({ config, clock, server: null, engines, acceptLoss: input.acceptLoss === true });
    } finally {
      await engines.close();
    }
    return;
  }
  const logger = { info: console.warn, warn: console.warn, error: console.error };
  const parts = await openParts(config, { clock, logger });
  const stopping = new AbortController();
  try {
    const { views, storage } = parts;
    if (config.openSearchUrl === null && !LOG_ONLY.has(name)) {
      const following = views.follow({ fencingToken: 0, signal: AbortSignal.any([signal, stopping.signal]) });
      await Promise.race([views.progress.reached(await storage.store.head(), CATCH_UP_MS), following]);
    }
    yield* operate({ config, parts, server: null, clock }, name, input, signal);
  } finally {
    stopping.abort();
    await parts.close();
  }
}
