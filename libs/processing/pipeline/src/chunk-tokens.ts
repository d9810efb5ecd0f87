import { LRUCache } from 'lru-cache';
import type { Settings, SettingsRepository } from '#features/settings';
import type { WorkMessage } from '#ports/message-bus';
import { CHUNK_TOKENS } from '#processing/extraction';

/** Smaller chunks would hold no sentence; of larger ones the model would not read the end. */
const LEAST = 20;
const MOST = 500;

const ORGANIZATIONS = 10_000;

/** Returns the maximum size of a chunk, in estimated tokens. */
function chunkTokensOf({ chunkSize }: Pick<Settings, 'chunkSize'>): number {
  if (chunkSize === null || chunkSize === -1) return CHUNK_TOKENS;
  return Math.min(MOST, Math.max(LEAST, chunkSize));
}

/**
 * The maximum size of a chunk in each organization. A piece of work names the last change of the settings before it, so
 * they are read once after each change.
 */
export class ChunkTokens {
  readonly #settings: Pick<SettingsRepository, 'load'>;
  readonly #known = new LRUCache<string, { readonly settingsAt: string; readonly tokens: number }>({
    max: ORGANIZATIONS,
  });

  constructor(settings: Pick<SettingsRepository, 'load'>) {
    this.#settings = settings;
  }

  async of({ organization, settingsAt }: Pick<WorkMessage, 'organization' | 'settingsAt'>): Promise<number> {
    if (settingsAt === null) return CHUNK_TOKENS;
    const known = this.#known.get(organization);
    if (known !== undefined && known.settingsAt === settingsAt) return known.tokens;
    const tokens = chunkTokensOf(await this.#settings.load(organization));
    if (settingsAt !== undefined) this.#known.set(organization, { settingsAt, tokens });
    return tokens;
  }
}
