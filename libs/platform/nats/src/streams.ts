import { jetstreamManager, type StreamAPI, type StreamConfig, type StreamUpdateConfig } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import pRetry from 'p-retry';
import { NatsPlacementError, NatsStreamMissingError } from './errors.ts';
import { isNameInUse, isStoreRefused, isStreamMissing, isUnplaceable, translateNatsError } from './failures.ts';
import type { StreamLayout } from './layout.ts';

/** Milliseconds. */
const ANSWER_MS = 1_000;
/** A good second in all. */
const STORE_RETRIES = { retries: 6, minTimeout: 20 };

export type NamedStream = Partial<StreamConfig> & { readonly name: string };

export interface EnsureOptions {
  /** Default: the server's. */
  readonly layout?: StreamLayout;
  /** Default: true. */
  readonly mayCreate?: boolean;
}

/** @see ensureStream. @throws NatsStreamMissingError, NatsPlacementError */
export async function ensure(
  connection: NatsConnection,
  config: NamedStream,
  { layout = {}, mayCreate = true }: EnsureOptions = {},
): Promise<void> {
  const { streams } = await jetstreamManager(connection, { checkAPI: false });
  const wanted = { ...config, ...configOf(layout) };
  try {
    const existing = await configIn(streams, config.name);
    if (existing !== null) {
      const changes = changesOf(existing, wanted);
      if (changes !== null) await streams.update(config.name, changes);
      return;
    }
    if (!mayCreate) throw new NatsStreamMissingError(config.name);
    await add(streams, wanted);
  } catch (error) {
    if (!isUnplaceable(error)) throw error;
    const copies = `${layout.replicas ?? 1} ${layout.replicas === undefined || layout.replicas === 1 ? 'copy' : 'copies'}`;
    const reason = (error as Error).message;
    throw new NatsPlacementError(`NATS cannot keep ${copies} of the stream ${config.name}: ${reason}`, {
      cause: error,
    });
  }
}

/**
 * Creates a stream, unless another process was faster. After the removal of the last stream of an account, servers since
 * 2.10 remove its empty folders a moment later, and can so remove them under a stream that is created then: it is refused
 * once, and can be created again at once.
 */
async function add(streams: StreamAPI, config: NamedStream): Promise<void> {
  try {
    await pRetry(() => streams.add(config), { ...STORE_RETRIES, shouldRetry: ({ error }) => isStoreRefused(error) });
  } catch (error) {
    if (!isNameInUse(error)) throw error;
  }
}

/** A stream as the server has it. */
export interface InspectedStream {
  readonly name: string;
  /** Null: it does not exist. */
  readonly found: { readonly records: number; readonly bytes: number; readonly copies: number } | null;
}

/** @see inspectStreams */
export async function inspect(
  connection: NatsConnection,
  names: readonly string[],
): Promise<readonly InspectedStream[]> {
  const { streams } = await jetstreamManager(connection, { timeout: ANSWER_MS, checkAPI: false });
  return Promise.all(
    names.map(async (name) => {
      try {
        const { config, state } = await streams.info(name);
        return { name, found: { records: state.messages, bytes: state.bytes, copies: config.num_replicas } };
      } catch (error) {
        if (isStreamMissing(error)) return { name, found: null };
        throw translateNatsError(error, `the stream ${name}`);
      }
    }),
  );
}

/** @see missingStreams */
export async function findMissing(connection: NatsConnection, names: readonly string[]): Promise<readonly string[]> {
  const { streams } = await jetstreamManager(connection, { timeout: ANSWER_MS, checkAPI: false });
  const isMissing = async (name: string) => {
    try {
      // Answered by the leader of the stream, from its index of subjects.
      await streams.getMessage(name, { last_by_subj: name });
      return false;
    } catch (error) {
      if (isStreamMissing(error)) return true;
      throw translateNatsError(error, `the stream ${name}`);
    }
  };
  const missing = await Promise.all(names.map(isMissing));
  return names.filter((_, i) => missing[i]);
}

/** Returns null if there is no such stream. */
async function configIn(streams: StreamAPI, name: string): Promise<StreamConfig | null> {
  try {
    return (await streams.info(name)).config;
  } catch (error) {
    if (isStreamMissing(error)) return null;
    throw error;
  }
}

function configOf({ replicas, maxBytes, placement }: StreamLayout): Partial<StreamConfig> {
  return {
    ...(replicas !== undefined && { num_replicas: replicas }),
    ...(maxBytes !== undefined && { max_bytes: maxBytes }),
    ...(placement !== undefined && { placement: { cluster: placement.cluster ?? '', tags: [...placement.tags] } }),
  };
}

/** Returns what an existing stream has to change, or null. Replicas are raised and never lowered. */
function changesOf(existing: StreamConfig, wanted: Partial<StreamConfig>): Partial<StreamUpdateConfig> | null {
  const { num_replicas = 0, max_bytes, max_age, placement } = wanted;
  const changes = {
    ...(num_replicas > existing.num_replicas && { num_replicas }),
    ...(max_bytes !== undefined && max_bytes !== existing.max_bytes && { max_bytes }),
    ...(max_age !== undefined && max_age !== existing.max_age && { max_age }),
    ...(placement !== undefined && textOf(placement) !== textOf(existing.placement) && { placement }),
  };
  return Object.keys(changes).length === 0 ? null : { ...existing, ...changes };
}

const textOf = (placement: Partial<StreamConfig>['placement']): string =>
  JSON.stringify([placement?.cluster ?? '', [...(placement?.tags ?? [])].sort()]);
