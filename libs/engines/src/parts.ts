import type { Config } from '#config';
import { DocumentRepository, DocumentTexts, Erasure, upcasters } from '#documents';
import { createCommandHandler, createFoldCache } from '#event-store';
import type { Clock } from '#kernel';
import { type Embedder, EmbedderOff, LocalEmbedder, type ModelLogger } from '#models';
import { openStorage, type Storage } from './storage/open-storage.ts';
import { openViews } from './views/open-views.ts';
import type { OpenViews } from './views/views.ts';

/** What every process works with, whatever its role: the engines, and documents on top of them. */
export interface Parts {
  readonly storage: Storage;
  readonly views: OpenViews;
  readonly documents: DocumentRepository;
  readonly texts: DocumentTexts;
  readonly erasure: Erasure;
  close(): Promise<void>;
}

export interface PartsOptions {
  readonly clock: Clock;
  readonly logger: { error(message: string): void };
}

/** Streams whose fold is kept in memory. */
const FOLDS = 1_000;

/** @throws DataFolderInUseError, NewerSchemaError; whatever an engine says that cannot be reached */
export async function openParts(config: Config, { clock, logger }: PartsOptions): Promise<Parts> {
  const storage = await openStorage(config);
  try {
    const views = await openViews(storage, { logger });
    const { store, blobs, vectors } = storage;
    const cache = createFoldCache({ entries: FOLDS });
    return {
      storage,
      views,
      documents: new DocumentRepository(createCommandHandler({ store, clock, cache, upcasters })),
      texts: new DocumentTexts(blobs),
      erasure: new Erasure(blobs, vectors),
      close: async () => {
        try {
          await views.close();
        } finally {
          await storage.close();
        }
      },
    };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** Answers at once; a model is fetched and loaded behind it. */
export function startEmbedder({ embedding, dataFolder, modelsFolder }: Config, logger: ModelLogger): Embedder {
  return embedding === 'off' ? new EmbedderOff() : LocalEmbedder.start({ dataFolder, modelsFolder, logger });
}
