import { stat } from 'node:fs/promises';
import { readTokenFilling, type TokenFilling } from '#features/vector-spaces';
import { inspectStreams } from '#platform/nats';
import type { ProbedEngines } from '../probe.ts';
import { attachVectors } from './vectors.ts';

export interface InspectedTokens {
  readonly filling: TokenFilling;
  /** Of all vectors and tokens, those of other spaces included. */
  readonly bytes: number;
}

/** Reads how far the tokens of a space are stored. @throws errors of the engine that holds them */
export async function inspectTokens({ settings, files, nats }: ProbedEngines, space: string): Promise<InspectedTokens> {
  if (nats !== null && 'away' in nats) throw nats.away;
  const connection = nats?.opened ?? null;
  const bytes =
    connection === null
      ? ((await stat(files.vectors).catch(() => null))?.size ?? null)
      : ((await inspectStreams(connection, [`${settings.prefix}-vectors`]))[0]?.found?.bytes ?? null);
  // To open what does not exist would create it.
  if (bytes === null) return { filling: { state: 'none' }, bytes: 0 };
  const vectors = await attachVectors(settings, connection);
  try {
    return { filling: await readTokenFilling(vectors, space), bytes };
  } finally {
    if ('close' in vectors) vectors.close();
  }
}
