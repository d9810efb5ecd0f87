import type { NatsConnection } from '#platform/nats';
import { openNatsVectorStore, openVectorReader, SqliteVectorStore, type VectorStore } from '#ports/vector-store';
import { dataFiles } from '../data-files.ts';
import { type EngineSettings, layoutOf } from '../settings.ts';

const onNats = (settings: EngineSettings, connection: NatsConnection): Promise<VectorStore> =>
  openNatsVectorStore({ connection, bucket: `${settings.prefix}-vectors`, ...layoutOf(settings, 'vectors') });

export function openVectors(
  settings: EngineSettings,
  connection: NatsConnection | null,
  warn: (message: string) => void,
): Promise<VectorStore> {
  if (connection !== null) return onNats(settings, connection);
  return SqliteVectorStore.open(dataFiles(settings.dataFolder).vectors, { warn });
}

/** For another thread, which only reads. */
export async function attachVectors(
  settings: EngineSettings,
  connection: NatsConnection | null,
): Promise<Pick<VectorStore, 'get'> | ReturnType<typeof openVectorReader>> {
  if (connection !== null) return onNats(settings, connection);
  return openVectorReader(dataFiles(settings.dataFolder).vectors);
}
