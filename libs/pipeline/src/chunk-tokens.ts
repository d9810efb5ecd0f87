import { CHUNK_TOKENS } from '#extraction';
import type { Settings } from '#settings';

/** Smaller chunks would hold no sentence; of larger ones the model would not read the end. */
const LEAST = 20;
const MOST = 500;

/** Returns the maximum size of a chunk, in estimated tokens. */
export function chunkTokensOf({ chunkSize }: Pick<Settings, 'chunkSize'>): number {
  if (chunkSize === null || chunkSize === -1) return CHUNK_TOKENS;
  return Math.min(MOST, Math.max(LEAST, chunkSize));
}
