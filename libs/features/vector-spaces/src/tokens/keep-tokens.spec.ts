import { type DocumentEvent, type Live, unitsOf } from '#features/documents';
import { tokenKey } from '#features/vector-spaces/model';
import { ok, systemClock, systemScope } from '#platform/kernel';
import { createCommandHandler, createFoldCache, systemCause } from '#ports/event-store';
import { KNOWN_SPACES, type ModelStatus, type TokenEmbedder } from '#ports/models';
import type { ViewsReader } from '#read-side/views';
import { ORGANIZATION, openPipeline, type Pipeline, TestEmbedder } from '../../../../../test/support/pipeline.ts';
import { until } from '../../../../platform/kernel/src/testing/eventually.ts';
import { GroupEmbedder } from '../group-embedder.ts';
import { DEFAULT_GROUP } from '../groups.ts';
import { VectorSpaces } from '../vector-spaces.ts';
import { keepTokens } from './keep-tokens.ts';
import { readTokenFilling, TokenProgress } from './token-filling.ts';

/** Tokens of documents that were there when the setting was changed, with a deterministic model. */

const SPACE = DEFAULT_GROUP.initialSpace;
const READY: ModelStatus = { state: 'ready', space: { name: SPACE, dimensions: 384 } };
const SCOPE = systemScope(ORGANIZATION);

class Model extends TestEmbedder {
  stores = false;
  windowsWithTokens = 0;

  get storedTokens(): TokenEmbedder | undefined {
    if (!this.stores) return undefined;
    return {
      questionTokens: async () => new Int8Array(64),
      embedWindows: async (windows) => {
        this.windowsWithTokens += windows.length;
        const vectors = await this.embedWindows(windows);
        return vectors.map((texts) => texts.map((vector) => ({ vector, tokens: new Int8Array(64) })));
      },
    };
  }
}

let model: Model;
let group: GroupEmbedder;
let pipeline: Pipeline;
let spaces: VectorSpaces;
beforeEach(async () => {
  model = new Model();
  model.become(READY);
  group = new GroupEmbedder(DEFAULT_GROUP, () => model, SPACE);
  pipeline = await openPipeline({ group });
  const cache = createFoldCache({ characters: 10_000 });
  spaces = new VectorSpaces(createCommandHandler({ store: pipeline.store, clock: systemClock, cache }));
  await spaces.adopt(DEFAULT_GROUP);
});
afterEach(() => pipeline.close());

async function addDone(text: string): Promise<string> {
  const id = await pipeline.add(text);
  await pipeline.event(id, 'DocumentIndexed');
  return id;
}

/** Of a document's units: how many there are, and how many of them have tokens. */
async function tokensOf(id: string): Promise<{ readonly units: number; readonly stored: number }> {
  const units = await unitsOf((await pipeline.documents.load(SCOPE, id)) as Live, pipeline.texts);
  const keys = units.map((unit) => tokenKey(SPACE, ORGANIZATION, unit.id));
  const stored = (await pipeline.vectors.get(keys)).filter((one) => one !== null).length;
  return { units: units.length, stored };
}
const allStored = async (id: string) => {
  const { units, stored } = await tokensOf(id);
  return units > 0 && stored === units;
};
const filling = () => readTokenFilling(pipeline.vectors, SPACE);

/** Runs the task until its progress has this state. */
async function keepUntil(state: 'none' | 'begun' | 'complete', stores: boolean): Promise<void> {
  model.stores = stores;
  const stopping = new AbortController();
  const { store, documents, texts, vectors } = pipeline;
  const views = { reader: {} as ViewsReader, rebuild: async () => true };
  const logger = { info: () => {}, warn: () => {} };
  const sources = { store, documents, texts, vectors, spaces, views };
  const keeping = keepTokens(sources, group, { logger, signal: stopping.signal });
  await until(filling, (kept) => kept.state === state);
  stopping.abort();
  await keeping;
}

test('the tokens of all documents are stored when storing is switched on, and removed when it is switched off', async () => {
  const ids = [await addDone('The kettle is in the blue cupboard.'), await addDone('The cat sleeps.')];
  for (const id of ids) expect(await tokensOf(id)).toMatchObject({ stored: 0 });
  await keepUntil('complete', true);
  for (const id of ids) expect(await allStored(id)).toBe(true);
  await keepUntil('none', false);
  for (const id of ids) expect(await tokensOf(id)).toMatchObject({ stored: 0 });
});

test('tokens that stages have stored are not made again, and are removed too when storing is switched off', async () => {
  await keepUntil('complete', true);
  const id = await addDone('The dog barks.');
  expect(await allStored(id)).toBe(true);
  const made = model.windowsWithTokens;
  await pipeline.vectors.release(`tokens of ${SPACE}`);
  await keepUntil('complete', true);
  expect(model.windowsWithTokens).toBe(made);
  await keepUntil('none', false);
  expect(await tokensOf(id)).toMatchObject({ stored: 0 });
});

test('the marks of all spaces go when storing is switched off, also before the model is ready', async () => {
  await keepUntil('complete', true);
  const former = KNOWN_SPACES.find((one) => one !== SPACE) as string;
  await new TokenProgress(pipeline.vectors).complete(former);
  model.become({ state: 'loading' });
  await keepUntil('begun', false);
  model.become(READY);
  await keepUntil('none', false);
  expect(await readTokenFilling(pipeline.vectors, former)).toEqual({ state: 'none' });
});

test('a stage removes the tokens of a document that changes after storing was switched off', async () => {
  await keepUntil('complete', true);
  const id = await addDone('The kettle is in the blue cupboard.\n\nThe cat sleeps.');
  expect(await allStored(id)).toBe(true);
  model.stores = false;
  const replaced: DocumentEvent = {
    ...{ type: 'ContentReplaced', contentVersion: 2 },
    payload: { content: { text: { inline: 'The kettle is in the blue cupboard.\n\nThe dog barks.' } } },
  };
  await pipeline.documents.change(SCOPE, id, systemCause(), () => ok([replaced]));
  await pipeline.event(id, 'DocumentIndexed', 2);
  expect(await tokensOf(id)).toMatchObject({ stored: 0 });
});
