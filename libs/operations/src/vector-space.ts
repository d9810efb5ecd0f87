import { setTimeout as pause } from 'node:timers/promises';
import { documentStream, parseDocumentStream, SYSTEM, unitsOf } from '#documents';
import { decideEmbedded } from '#domain';
import { DEFAULT_SPACE, openSpace } from '#engines';
import { type JsonObject, newId, type OrganizationId } from '#kernel';
import { type Embedder, findModel, MODELS, type ModelEntry } from '#models';
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

/** Who embeds in the new space, and how many vectors were made, documents passed over, and so on. */
interface Rebuild {
  readonly context: OperationsContext;
  readonly serving: string;
  readonly space: string;
  readonly embedder: Embedder;
  readonly signal: AbortSignal;
  readonly lines: Lines<JsonObject>;
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
  if (serving === space && searched === space) {
    yield* awaitVectors(context, space, signal);
    return;
  }
  const lines = new Lines<JsonObject>();
  const { embedder, close } = embedderOf(context, space);
  const rebuild: Rebuild = {
    ...{ context, serving: searched, space, embedder, signal, lines },
    ...{ vectors: 0, failed: new Set<string>() },
  };
  try {
    yield* lines.until(carryOut(rebuild));
    const { vectors, failed } = rebuild;
    yield { phase: 'done', done: !signal.aborted, space, vectors, failed: failed.size };
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
function embedderOf({ server, config }: OperationsContext, space: string): { embedder: Embedder; close(): unknown } {
  if (server === null) {
    const own = openSpace(config, space, { info: () => {}, warn: () => {} });
    return { embedder: own, close: () => own.close() };
  }
  const { embedder } = server;
  const present = () => [embedder, embedder.coming].find((one) => one && servedBy(one) === space) ?? embedder.coming;
  return {
    embedder: {
      status: () => present()?.status() ?? { state: 'loading' },
      onStatus: () => () => {},
      embedQuestion: (text) => (present() ?? embedder).embedQuestion(text),
      embedPassages: (...args) => (present() ?? embedder).embedPassages(...args),
      close: async () => {},
    },
    close: () => {},
  };
}

/** @throws OperatorError where there is no model; then nothing is being built any more */
async function modelReady({ context, embedder, space, serving, signal, lines }: Rebuild): Promise<void> {
  for (let told = ''; !signal.aborted; ) {
    const status = embedder.status();
    if (status.state === 'ready' && status.space.name === space) return;
    if (status.state === 'unavailable') {
      await context.parts.spaces.begin(serving);
      throw new OperatorError(`The model of ${space} cannot be had: ${status.reason}`);
    }
    if (status.state !== told) lines.put({ phase: 'model', state: status.state });
    told = status.state;
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Every document of the log, in the order of their adds; those that come meanwhile are embedded in both spaces. */
async function embedAll(rebuild: Rebuild): Promise<void> {
  const { context, signal, lines } = rebuild;
  const { store } = context.parts.storage;
  const of = await countDocuments(context.parts.views.reader, await organizationsOf(store));
  let documents = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = () => {
    if (performance.now() - toldAt < TOLD_EVERY_MS) return;
    toldAt = performance.now();
    lines.put({ phase: 'embed', documents, of: Math.max(documents, of), vectors: rebuild.vectors });
  };
  tell();
  const underWay = new Set<Promise<void>>();
  for await (const { stream } of eventsOf(store, { types: ['DocumentAdded'] })) {
    if (signal.aborted) break;
    const one: Promise<void> = embedOne(rebuild, stream).then((there) => {
      if (there) documents += 1;
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
  const name = parseDocumentStream(stream);
  if (name === null) return false;
  const { embedBeside } = await import('#pipeline');
  const beside = { documents, texts, vectors: storage.vectors, serving, space: { name: space, embedder } };
  for (let left = TRIES; !signal.aborted; ) {
    try {
      rebuild.vectors += await embedBeside(beside, name.organization, name.id);
      failed.delete(stream);
      break;
    } catch (error) {
      // By name, for it may come from another thread.
      if ((error as Error).name !== 'EmbeddingInterruptedError') throw error;
      if (--left > 0) continue;
      failed.add(stream);
      break;
    }
  }
  return (await documents.peek(name.organization, name.id)).status === 'live';
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
      if (!(await spaces.select(space)).ok) {
        throw new OperatorError(`Another vector space was asked for meanwhile; ${rebuild.serving} goes on serving`);
      }
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
  const document = await documents.load(organization, id);
  if (document.status !== 'live') return;
  const sizes = { units: (await unitsOf(document, texts)).length };
  const cause = {
    organization: organization as OrganizationId,
    actor: SYSTEM,
    correlationId: newId(),
    causationId: null,
  };
  await documents.change(id, cause, (state) =>
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
  yield { phase: 'done', done: !signal.aborted, space, vectors: 0, failed: 0 };
}

async function withoutVectors(views: ViewsReader, space: string): Promise<readonly UnfinishedDocument[]> {
  const found: UnfinishedDocument[] = [];
  for (;;) {
    const page = await views.withoutVectors({ space, after: found.at(-1) ?? null, limit: PAGE });
    found.push(...page);
    if (page.length < PAGE) return found;
  }
}
