import { setTimeout as pause } from 'node:timers/promises';
import { organizationsOf } from '#features/access';
import {
  type ChangeProgress,
  DEFAULT_GROUP,
  groupOf,
  LANGUAGES_GROUP,
  LanguagesChange,
  openModel,
  releaseSpaces,
  releaseVectors,
  SpaceChange,
  type SpaceGroup,
  spaceOfViews,
  withoutVectors,
} from '#features/vector-spaces';
import type { Config } from '#platform/config';
import { hasCode, type JsonObject } from '#platform/kernel';
import { findModel, MODELS, type ModelEntry } from '#ports/models';
import { Lines } from './lines.ts';
import { type OperationsContext, OperatorError, textOf } from './operation.ts';
import { countDocuments } from './rebuild.ts';

/** Milliseconds. */
const POLL_MS = 250;
/** Time that a server has to embed its questions in the new space. Milliseconds. */
const FOLLOWS_WITHIN_MS = 10_000;

/**
 * Embeds the documents of a group in the vector space `name` and has it serve them: of a multilingual model those in other
 * languages than English, with `allLanguages` all of them. Until then searches go on in the serving space. May be aborted and
 * called again: vectors that were made are kept.
 */
export async function* rebuildVectorSpace(
  context: OperationsContext,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const { group, space } = spaceServed(context.config, input);
  yield* group === LANGUAGES_GROUP
    ? rebuildLanguages(context, space, input, signal)
    : rebuildDefault(context, space, input, signal);
}

/** Returns the space that is asked for. @throws OperatorError if the settings do not serve it */
export function spaceServed(
  { embedding, languages }: Pick<Config, 'embedding' | 'languages'>,
  input: JsonObject,
): { readonly group: SpaceGroup; readonly space: string } {
  const { name: space } = modelNamed(textOf(input.name)).space;
  const group = input.allLanguages === true ? DEFAULT_GROUP : groupOf(space);
  const refused = `No documents are embedded in ${space}`;
  if (embedding === 'off') throw new OperatorError(`${refused}: MNEME_EMBEDDING is off. Set it to local.`);
  if (group === LANGUAGES_GROUP && languages === 'en') {
    const advice = 'Set it to auto, or embed all documents in this space with --all-languages.';
    throw new OperatorError(`${refused}: MNEME_LANGUAGES is en. ${advice}`);
  }
  return { group, space };
}

async function* rebuildDefault(
  context: OperationsContext,
  space: string,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const { parts } = context;
  const { reader } = parts.views;
  const { serving } = await parts.spaces.load(DEFAULT_GROUP);
  const searched = await spaceOfViews(reader, DEFAULT_GROUP);
  // For the serving space, this abandons one that is being built beside it.
  await parts.spaces.begin(DEFAULT_GROUP, space);
  const isServing = serving === space && searched === space;
  if (isServing) yield* awaitVectors(context, space, signal);
  if (isServing && input.releaseOthers !== true) {
    yield { phase: 'done', done: !signal.aborted, space, vectors: 0, without: 0 };
    return;
  }
  const lines = new Lines<JsonObject>();
  const of = await countDocuments(reader, await organizationsOf(parts.storage.store));
  const { embedder, close } = modelOf(context, DEFAULT_GROUP, space);
  const onProgress = (progress: ChangeProgress) => lines.put(lineOf(progress, of));
  // Documents that are left out are counted at the end as those without vectors.
  const options = { group: DEFAULT_GROUP, space, embedder, signal, onSkipped: () => {} };
  const change = new SpaceChange(sourcesOf(context), { ...options, searched, onProgress });
  try {
    if (!isServing) {
      yield* lines.until(forOperator(context, DEFAULT_GROUP, space, change.run()));
      if (!signal.aborted) await serverFollows(context, DEFAULT_GROUP, space);
    }
    if (input.releaseOthers === true && !signal.aborted) {
      const releasing = releaseSpaces(sourcesOf(context), {
        ...{ ...options, kept: async () => [space], pollMs: null },
        onProgress: (documents) => onProgress({ phase: 'release', documents, vectors: change.vectors }),
      });
      yield* lines.until(forOperator(context, DEFAULT_GROUP, space, releasing));
    }
    const without = signal.aborted ? null : (await withoutVectors(reader, space)).length;
    yield { phase: 'done', done: !signal.aborted, space, vectors: change.vectors, without };
  } finally {
    await close();
  }
}

/** The space of documents in other languages than English. Each of them changes its space by an event of its own. */
async function* rebuildLanguages(
  context: OperationsContext,
  space: string,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const { parts } = context;
  const { serving, choices } = await parts.spaces.load(LANGUAGES_GROUP);
  // For the serving space, this abandons one that is being built beside it.
  await parts.spaces.begin(LANGUAGES_GROUP, space);
  const lines = new Lines<JsonObject>();
  const of = await countDocuments(parts.views.reader, await organizationsOf(parts.storage.store));
  const { embedder, close } = modelOf(context, LANGUAGES_GROUP, space);
  const onProgress = (progress: ChangeProgress) => lines.put(lineOf(progress, of));
  const options = { group: LANGUAGES_GROUP, space, embedder, signal, onProgress, onSkipped: () => {} };
  const change = new LanguagesChange(sourcesOf(context), options);
  try {
    if (serving === space && choices === 0) await parts.spaces.adopt(LANGUAGES_GROUP, space);
    yield* lines.until(forOperator(context, LANGUAGES_GROUP, space, change.run()));
    if (!signal.aborted) await serverFollows(context, LANGUAGES_GROUP, space);
    if (input.releaseOthers === true && !signal.aborted) {
      const ofOthers = async () => {
        const { serving: own, coming } = await parts.spaces.load(DEFAULT_GROUP);
        return [space, own, ...(coming === null ? [] : [coming])];
      };
      const releasing = releaseVectors(sourcesOf(context), {
        ...{ group: LANGUAGES_GROUP, space, embedder, signal, onSkipped: () => {}, kept: ofOthers, pollMs: null },
        onProgress: (documents) => onProgress({ phase: 'release', documents, vectors: change.vectors }),
      });
      yield* lines.until(forOperator(context, LANGUAGES_GROUP, space, releasing));
    }
    yield { phase: 'done', done: !signal.aborted, space, vectors: change.vectors, without: change.skipped };
  } finally {
    await close();
  }
}

function modelNamed(name: string | null): ModelEntry {
  const model = name === null ? null : findModel(name);
  if (model !== null) return model;
  const known = MODELS.map(({ name: own, space }) => `${space.name} (model ${own})`).join(', ');
  throw new OperatorError(`There is no vector space ${name}; known are ${known}`);
}

function sourcesOf({ parts }: OperationsContext) {
  const { documents, texts, spaces, views, storage } = parts;
  return { documents, texts, spaces, views, vectors: storage.vectors, store: storage.store };
}

/** @param of how many documents there were at the start */
function lineOf(progress: ChangeProgress, of: number): JsonObject {
  return progress.phase === 'model' ? { ...progress } : { ...progress, of: Math.max(progress.documents, of) };
}

/** A change that cannot be made leaves no space that is being built. */
async function forOperator(
  { parts }: OperationsContext,
  group: SpaceGroup,
  space: string,
  change: Promise<void>,
): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!hasCode(error, 'space_not_changed')) throw error;
    const { serving, coming } = await parts.spaces.load(group);
    if (coming === space) await parts.spaces.begin(group, serving);
    throw new OperatorError(error.message);
  }
}

/** A server loads the model of a space that is being built anyway; a command line loads its own. */
function modelOf({ server, config }: OperationsContext, group: SpaceGroup, space: string) {
  if (server === null) {
    const own = openModel(config, space, { info: () => {}, warn: () => {} });
    return { embedder: own, close: () => own.close() };
  }
  return { embedder: server.embedders.of(group).modelOf(space), close: () => {} };
}

/** Waits a while until the server embeds its questions in the space. */
async function serverFollows({ server }: OperationsContext, group: SpaceGroup, space: string): Promise<void> {
  const embedder = server?.embedders.of(group);
  const until = performance.now() + FOLLOWS_WITHIN_MS;
  while (embedder && performance.now() < until) {
    if (embedder.serving.name === space && ['ready', 'idle'].includes(embedder.status().state)) return;
    await pause(POLL_MS);
  }
}

/** Waits until the server has added the vectors that documents lack in the serving space. */
async function* awaitVectors(
  { parts, server }: OperationsContext,
  space: string,
  signal: AbortSignal,
): AsyncGenerator<JsonObject> {
  const { reader } = parts.views;
  const of = (await withoutVectors(reader, space)).length;
  if (of > 0 && server === null) {
    throw new OperatorError(`${of} documents have no vectors of ${space}; start the server, which embeds them`);
  }
  for (let left = of; left > 0 && !signal.aborted; left = (await withoutVectors(reader, space)).length) {
    yield { phase: 'embed', documents: Math.max(0, of - left), of };
    await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
