import pLimit from 'p-limit';
import type { RecordedEvent } from '../../port.ts';
import { DestroyedKeysError, MissingStreamKeyError } from './errors.ts';
import { type LogEntry, SealedEvent } from './log-entry.ts';
import type { StreamKeyCache } from './stream-key-cache.ts';

/** Concurrent fetches of keys in one read. */
const CONCURRENT_KEYS = 32;

type LossCheck = (error: unknown) => MissingStreamKeyError | null;

/**
 * Returns events whose payloads are opened with the keys of their streams.
 * @param unopened returns the value in place of a secret that cannot be read, or throws
 */
export async function unseal(
  keys: StreamKeyCache,
  entries: readonly LogEntry[],
  unopened: LossCheck = missingOrDestroyedKey,
): Promise<RecordedEvent[]> {
  for (const { erases, stream } of entries) if (erases) keys.markErased(stream);
  const keyNames = entries.map(({ keyId, stream }) => keyId && `${keyId} ${stream}`);
  const secrets = await secretsOf(keys, keyNames, unopened);
  return entries.map((entry, i) => new SealedEvent(entry, secrets.get(keyNames[i] ?? '') ?? null));
}

export function withoutPayloads(entries: readonly LogEntry[]): RecordedEvent[] {
  return entries.map((entry) => new SealedEvent(entry, null));
}

/** Returns the error if a key is missing: it concerns only readers of the payloads that are sealed with it. */
export function missingKey(error: unknown): MissingStreamKeyError {
  if (error instanceof MissingStreamKeyError) return error;
  throw error;
}

/** Payloads with destroyed keys are null, as those of an erased stream: the next read of the stream removes it. */
function missingOrDestroyedKey(error: unknown): MissingStreamKeyError | null {
  return error instanceof DestroyedKeysError ? null : missingKey(error);
}

/** @param names `<key id> <stream>` */
async function secretsOf(keys: StreamKeyCache, names: readonly (string | null)[], unopened: LossCheck) {
  const secrets = new Map<string, Uint8Array | ReturnType<LossCheck>>();
  const distinct = [...new Set(names)].filter((name) => name !== null);
  await pLimit(CONCURRENT_KEYS).map(distinct, async (name) => {
    const [id, ...stream] = name.split(' ');
    secrets.set(name, await keys.toOpen(stream.join(' '), id as string).catch(unopened));
  });
  return secrets;
}
