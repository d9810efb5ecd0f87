import type { Config } from '#config';
import { type Embedder, EmbedderOff, findModel, LocalEmbedder, type ModelLogger } from '#models';
import type { ViewsReader } from '#views';
import { GroupEmbedder } from './group-embedder.ts';
import { GROUPS } from './groups.ts';
import { SpaceEmbedders } from './space-embedders.ts';
import type { VectorSpaces } from './vector-spaces.ts';

export interface SpaceSources {
  readonly spaces: Pick<VectorSpaces, 'load'>;
  readonly views: Pick<ViewsReader, 'vectorSpace'>;
}

/**
 * Begins to load the models of the spaces that are searched, and returns before they are ready.
 * @param start begins to load the model of a space, and returns at once
 */
export async function openEmbedders(
  config: Config,
  { spaces, views }: SpaceSources,
  start: (space: string) => Embedder,
): Promise<SpaceEmbedders> {
  const opened = GROUPS.map(async (group) => {
    if (config.embedding === 'off') return new GroupEmbedder(group, () => new EmbedderOff(), group.initialSpace);
    // If the views cannot be read, they are taken to be as the log says.
    const searched = (await views.vectorSpace().catch(() => null)) ?? (await spaces.load(group)).serving;
    return new GroupEmbedder(group, start, searched);
  });
  return new SpaceEmbedders(await Promise.all(opened));
}

/** Begins to load the model of a space, and returns at once. Unavailable if this version has none for it. */
export function openModel(
  { dataFolder, modelsFolder, downloads, rerank }: Config,
  space: string,
  logger: ModelLogger,
): Embedder {
  const model = findModel(space);
  if (model !== null)
    return LocalEmbedder.start({
      ...{ dataFolder, modelsFolder, logger, model },
      fetch: downloads === 'on',
      storeTokens: rerank === 'on',
    });
  return new EmbedderOff({ state: 'unavailable', reason: `This version has no model for the vector space ${space}` });
}
