import { readdir } from 'node:fs/promises';
import { LANGUAGE_SPACES } from '#features/vector-spaces/model';
import type { Config } from '#platform/config';
import {
  type Embedder,
  EmbedderOff,
  findModel,
  LocalEmbedder,
  type ModelLogger,
  OnDemandEmbedder,
} from '#ports/models';
import type { ViewsReader } from '#read-side/views';
import { GroupEmbedder } from './group-embedder.ts';
import { GROUPS, LANGUAGES_GROUP } from './groups.ts';
import { SpaceEmbedders } from './space-embedders.ts';
import type { VectorSpaces } from './vector-spaces.ts';

export interface SpaceSources {
  readonly spaces: Pick<VectorSpaces, 'load' | 'adopt'>;
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
    if (group === LANGUAGES_GROUP) return openForLanguages(config, spaces, start);
    // If the views cannot be read, they are taken to be as the log says.
    const searched = (await views.vectorSpace().catch(() => null)) ?? (await spaces.load(group)).serving;
    return new GroupEmbedder(group, start, searched);
  });
  return new SpaceEmbedders(await Promise.all(opened));
}

/** The model for other languages is fetched and loaded when a text needs it. */
async function openForLanguages(
  config: Config,
  spaces: SpaceSources['spaces'],
  start: (space: string) => Embedder,
): Promise<GroupEmbedder> {
  const { serving, choices } = await spaces.load(LANGUAGES_GROUP);
  if (config.languages === 'en') return new GroupEmbedder(LANGUAGES_GROUP, () => new EmbedderOff(), serving);
  const first = choices > 0 ? serving : await installedSpace(config);
  const adopted = (space: string) => spaces.adopt(LANGUAGES_GROUP, space);
  const model = (space: string) => new OnDemandEmbedder(() => start(space), { beforeFirst: () => adopted(space) });
  return new GroupEmbedder(LANGUAGES_GROUP, model, first);
}

/** The space of a model in the folder of models; without one that of the hub's model. */
async function installedSpace({ modelsFolder }: Config): Promise<string> {
  const names = modelsFolder === null ? [] : await readdir(modelsFolder).catch(() => []);
  return LANGUAGE_SPACES.find((space) => names.includes(findModel(space)?.name ?? '')) ?? LANGUAGES_GROUP.initialSpace;
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
