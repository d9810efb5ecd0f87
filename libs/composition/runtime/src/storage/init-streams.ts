import { connectNats, missingStreams } from '#platform/nats';
import type { EngineSettings } from '../settings.ts';
import { keptOnNats, keptStream, openKeptBlobs, openKeptKeys } from './kept-streams.ts';

export interface InitializedStream {
  readonly stream: string;
  /** False: it existed. */
  readonly isNew: boolean;
}

/**
 * Creates the streams on NATS that hold data, as far as they do not exist. Yields each of them; none without NATS.
 * @throws NatsUnreachableError, NatsUnsuitableError, NatsPlacementError
 */
export async function* initStreams(settings: EngineSettings): AsyncGenerator<InitializedStream> {
  if (settings.natsUrl === null) return;
  const connection = await connectNats({ url: settings.natsUrl, name: settings.prefix });
  try {
    for (const kept of keptOnNats(settings)) {
      const stream = keptStream(settings, kept);
      const isNew = (await missingStreams(connection, [stream])).length > 0;
      await (kept === 'blobs' ? openKeptBlobs : openKeptKeys)(settings, connection, true);
      yield { stream, isNew };
    }
  } finally {
    await connection.close();
  }
}
