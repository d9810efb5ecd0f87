import type { NatsConnection } from '#nats';
import { openNatsVectorCache, openVectorReader, SqliteVectorCache, type VectorCache } from '#vector-cache';
import { dataFiles } from '../data-files.ts';
import { type EngineSettings, layoutOf } from '../settings.ts';

const onNats = (settings: EngineSettings, connection: NatsConnection): Promise<VectorCache> =>
  openNatsVectorCache({ connection, bucket: `${settings.prefix}-vectors`, ...layoutOf(settings, 'vectors') });

export function openVectors(
  settings: EngineSettings,
  connection: NatsConnection | null,
  warn: (message: string) => void,
): Promise<VectorCache> {
  if (connection !== null) return onNats(settings, connection);
  return SqliteVectorCache.open(dataFiles(settings.dataFolder).vectors, { warn });
}

/** For another thread, which only reads. */
export async function attachVectors(
  settings: EngineSettings,
  connection: NatsConnection | null,
): Promise<Pick<VectorCache, 'get'> | ReturnType<typeof openVectorReader>> {
  if (connection !== null) return onNats(settings, connection);
  return openVectorReader(dataFiles(settings.dataFolder).vectors);
}
