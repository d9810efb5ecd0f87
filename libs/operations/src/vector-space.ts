import { setTimeout as pause } from 'node:timers/promises';
import { decideEmbedded, documentStream, parseDocumentStream, unitsOf } from '#documents';
import { systemCause } from '#event-store';
import { type JsonObject, systemScope } from '#kernel';
import { type Embedder, findModel, MODELS, type ModelEntry, ModelUnavailableError } from '#models';
import { DEFAULT_SPACE, openSpace } from '#runtime';
import type { UnfinishedDocument, ViewsReader } from '#views';
import { Lines } from './lines.ts';
import { eventsOf, organizationsOf } from './log.ts';
import { type OperationsContext, OperatorError, textOf } from './operation.ts';
import { countDocuments } from './rebuild.ts';

const LOOK_EVERY_MS = 250;
/** A line of progress at most so often. */
const TOLD_EVERY_MS = 200;
const PAGE = 1_000;
/** Documents under way at a time, so that short ones share the model's portions. */
const AT_ONCE = 16;
/** Tries of a document whose text, or that of a neighbour, brought the model down. */
const TRIES = 4;
/** Looks at the new views for documents that are still to be embedded, before they take over as they are. */
const LOOKS = 20;
/** How long a server may take to turn its questions to the new space. */
const FOLLOWS_WITHIN_MS = 10_000;

type Model = Pick<Embedder, 'status' | 'embedPassages'>;

interface Rebuild {
  readonly context: OperationsContext;
  /** In which the views are searched. */
  readonly serving: string;
  readonly space: string;
  readonly embedder: Model;
  readonly signal: AbortSignal;
  readonly lines: Lines<JsonObject>;
  /** That were made. */
  vectors: number;
  /** Documents that could not be embedded; they are found by their words. */
  readonly failed: Set<string>;
}

/**
 * Brings every document into the vector space `name` and has it serve. Until then searches go on in the one that serves.
 * May be given up and called again: vectors that were made are kept.
 */
export async function* rebuildVectorSpace(
  context: OperationsContext,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const { parts, config } = context;
  const { name: space } = modelNamed(textOf(input.name)).space;
  if (config.embedding === 'off') throw new OperatorError('Embedding is switched off: MNEME_EMBEDDING is off');
  const { serving } = await parts.spaces.load();
  const searched = (await parts.views.reader.vectorSpace()) ?? DEFAULT_SPACE;
  // Where it serves, one that is being built beside it is given up.
  await parts.spaces.begin(space);
  const isServing = serving === space && searched === space;
  if (isServing) yield* awaitVectors(context, space, signal);
  if (isServing && input.releaseOthers !== true) {
    yield { phase: 'done', done: !signal.aborted, space, vectors: 0, without: 0 };
    return;
  }
  const lines = new Lines<JsonObject>();
  const { embedder, close } = embedderOf(context, space);
  const rebuild: Rebuild = {
    ...{ context, serving: searched, space, embedder, signal, lines },
    ...{ vectors: 0, failed: new Set<string>() },
  };
  try {
    if (!isServing) yield* lines.until(carryOut(rebuild));
    if (input.releaseOthers === true && !signal.aborted) yield* lines.until(releaseOthers(rebuild));
    const { vectors } = rebuild;
    const without = signal.aborted ? null : (await withoutVectors(parts.views.reader, space)).length;
    yield { phase: 'done', done: !signal.aborted, space, vectors, without };
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

async function carryOut(rebuild: Rebuild): Promise<void> {
  const { context, space, signal } = rebuild;
  await modelReady(rebuild);
  if (signal.aborted) return;
  await embedAll(rebuild);
  if (signal.aborted) return;
  await switchViews(rebuild);
  if (signal.aborted || context.server === null) return;
  const until = performance.now() + FOLLOWS_WITHIN_MS;
  while (servedBy(context.server.embedder) !== space && performance.now() < until) await pause(LOOK_EVERY_MS);
}

const servedBy = (embedder: Embedder): string | null => {
  const status = embedder.status();
  return status.state === 'ready' ? status.space.name : null;
};

/** A server has the model of a space that is being built loaded anyway; a command line loads its own. */
function embedderOf({ server, config }: OperationsContext, space: string): { embedder: Model; close(): unknown } {
  if (server === null) {
    const own = openSpace(config, space, { info: () => {}, warn: () => {} });
    return { embedder: own, close: () => own.close() };
  }
  const ofServer = () => {
    const { present = server.embedder, coming = null } = server.embedder;
    return servedBy(present) === space ? present : coming;
  };
  return {
    embedder: {
      status: () => ofServer()?.status() ?? { state: 'loading' },
      embedPassages: async (...args) => {
        const one = ofServer();
        // Vectors of another model must not get into the cache under the name of this space.
        if (one === null || servedBy(one) !== space)
          throw new ModelUnavailableError(`The model of ${space} is not ready`);
        return one.embedPassages(...args);
      },
    },
    close: () => {},
  };
}

/** @throws OperatorError where there is no model, so that nothing is built any more; or where another space was asked for */
async function modelReady(rebuild: Rebuild): Promise<void> {
  const { context, embedder, space, signal, lines } = rebuild;
  const { spaces } = context.parts;
  for (let told = ''; !signal.aborted; ) {
    const status = embedder.status();
    if (status.state === 'ready' && status.space.name === space) return;
    const { serving, coming } = await spaces.load();
    if (serving !== space && coming !== space) throw superseded(rebuild);
    if (status.state === 'unavailable') {
      await spaces.begin(serving);
      throw new OperatorError(`The model of ${space} cannot be had: ${status.reason}`);
    }
    if (status.state !== told) lines.put({ phase: 'model', state: status.state });
    told = status.state;
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

const superseded = ({ serving }: Rebuild): OperatorError =>
  new OperatorError(`Another vector space was asked for meanwhile; ${serving} goes on serving`);

/** Those that come meanwhile are embedded in both spaces. */
const embedAll = (rebuild: Rebuild): Promise<void> =>
  eachDocument(rebuild, 'embed', (stream) => embedOne(rebuild, stream));

/** Of the space that serves now, nothing is forgotten. */
async function releaseOthers(rebuild: Rebuild): Promise<void> {
  const { context, space: name, embedder, signal } = rebuild;
  await modelReady(rebuild);
  if (signal.aborted) return;
  const { documents, texts, storage } = context.parts;
  const { forgetOtherSpaces } = await import('#pipeline');
  const options = { documents, texts, vectors: storage.vectors, space: { name, embedder } };
  await eachDocument(rebuild, 'release', async (stream) => {
    const { organization, id } = parseDocumentStream(stream) ?? NOBODY;
    await forgetOtherSpaces(options, organization, id);
    return (await documents.peek(systemScope(organization), id)).status === 'live';
  });
}

const NOBODY = { organization: '', id: '' };

/** Every document of the log, in the order of their adds. @param work says whether the document lives */
async function eachDocument(
  rebuild: Rebuild,
  phase: string,
  work: (stream: string) => Promise<boolean>,
): Promise<void> {
  const { context, signal, lines } = rebuild;
  const { store } = context.parts.storage;
  const of = await countDocuments(context.parts.views.reader, await organizationsOf(store));
  let documents = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = () => {
    if (performance.now() - toldAt < TOLD_EVERY_MS) return;
    toldAt = performance.now();
    lines.put({ phase, documents, of: Math.max(documents, of), vectors: rebuild.vectors });
  };
  tell();
  const underWay = new Set<Promise<void>>();
  for await (const { stream } of eventsOf(store, { types: ['DocumentAdded'] })) {
    if (signal.aborted) break;
    const one: Promise<void> = work(stream).then((lives) => {
      if (lives) documents += 1;
      tell();
      underWay.delete(one);
    });
    // Whoever waits for it is told.
    one.catch(() => {});
    underWay.add(one);
    if (underWay.size >= AT_ONCE) await Promise.race(underWay);
  }
  await Promise.all(underWay);
}

/** @returns whether the document lives */
async function embedOne(rebuild: Rebuild, stream: string): Promise<boolean> {
  const { context, serving, space, embedder, signal, failed } = rebuild;
  const { documents, texts, storage } = context.parts;
  const name = parseDocumentStream(stream) ?? NOBODY;
  const { embedBeside, isModelGone } = await import('#pipeline');
  const beside = { documents, texts, vectors: storage.vectors, serving, space: { name: space, embedder } };
  for (let left = TRIES; !signal.aborted; ) {
    try {
      rebuild.vectors += await embedBeside(beside, name.organization, name.id);
      failed.delete(stream);
      break;
    } catch (error) {
      if (!isModelGone(error)) throw error;
      await modelReady(rebuild);
      if (--left > 0) continue;
      failed.add(stream);
      break;
    }
  }
  return (await documents.peek(systemScope(name.organization), name.id)).status === 'live';
}

/** Makes the views of the new space beside the serving ones; when nothing is missing in them, they serve. */
async function switchViews(rebuild: Rebuild): Promise<void> {
  const { context, space, signal, lines } = rebuild;
  const { views, spaces, storage } = context.parts;
  const of = await countDocuments(views.reader, await organizationsOf(storage.store));
  await views.rebuild({
    space,
    signal,
    onProgress: (written) => lines.put({ phase: 'rebuild', ...written, of }),
    inspect: async ({ rebuilt, level }) => {
      for (let look = 1; !signal.aborted && look <= LOOKS; look += 1) {
        await level();
        const missing = await missingIn(rebuild, rebuilt);
        if (missing.length === 0) break;
        for (const document of missing) await embedAgain(rebuild, document);
      }
      if (signal.aborted) return false;
      if (!(await spaces.select(space)).ok) throw superseded(rebuild);
      return true;
    },
  });
}

/** What the serving views find by its vectors and the new ones would not. */
async function missingIn({ context, serving, space, failed }: Rebuild, rebuilt: ViewsReader) {
  const missing = await withoutVectors(rebuilt, space);
  if (missing.length === 0) return [];
  const keyOf = ({ organization, id }: UnfinishedDocument) => documentStream(organization, id);
  const already = new Set((await withoutVectors(context.parts.views.reader, serving)).map(keyOf));
  return missing.filter((document) => !already.has(keyOf(document)) && !failed.has(keyOf(document)));
}

/** The new views have missed these vectors; an event brings the document before them once more. */
async function embedAgain(rebuild: Rebuild, { organization, id, contentVersion }: UnfinishedDocument): Promise<void> {
  const { documents, texts } = rebuild.context.parts;
  await embedOne(rebuild, documentStream(organization, id));
  const document = await documents.load(systemScope(organization), id);
  if (document.status !== 'live') return;
  const sizes = { units: (await unitsOf(document, texts)).length };
  await documents.change(systemScope(organization), id, systemCause(), (state) =>
    decideEmbedded(state, contentVersion, rebuild.space, { renewed: true, sizes }),
  );
}

/** In the space that serves, what lacks vectors gets them from the server. */
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
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function withoutVectors(views: ViewsReader, space: string): Promise<readonly UnfinishedDocument[]> {
  const found: UnfinishedDocument[] = [];
  for (;;) {
    const page = await views.withoutVectors({ space, after: found.at(-1) ?? null, limit: PAGE });
    found.push(...page);
    if (page.length < PAGE) return found;
  }
}
