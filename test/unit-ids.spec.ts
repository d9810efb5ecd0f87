import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type DocumentEvent, type DocumentState, documentStream, type Live, unitsOf } from '#features/documents';
import { ok, systemScope } from '#platform/kernel';
import { systemCause } from '#ports/event-store';
import { identitiesOf, unitIdsWith } from '#processing/extraction';
import type { Unit } from '#read-side/views';
import { decideDelete } from '../libs/features/documents/src/deletion/decide.ts';
import { STATE_VERSION } from '../libs/features/documents/src/state.ts';
import { ORGANIZATION, openPipeline, type Pipeline } from './support/pipeline.ts';

const SCOPE = systemScope(ORGANIZATION);
const TEXT = 'Maren is allergic to walnuts.';

let pipeline: Pipeline;
beforeEach(async () => {
  pipeline = await openPipeline();
});
afterEach(() => pipeline.close());

const append = (id: string, ...events: readonly DocumentEvent[]) =>
  pipeline.documents.change(SCOPE, id, systemCause(), () => ok(events));

function live(state: DocumentState | { readonly status: 'forbidden' }): Live {
  if (state.status !== 'live') throw new Error(`The document is ${state.status}`);
  return state;
}

const unitsNow = async (id: string): Promise<readonly Unit[]> =>
  unitsOf(live(await pipeline.documents.load(SCOPE, id)), pipeline.texts);

test('removed text that returns gets its former id', async () => {
  const id = await pipeline.add(TEXT);
  await pipeline.event(id, 'DocumentIndexed');
  const before = await unitsNow(id);
  const replace = async (text: string, contentVersion: number) => {
    const content = { text: { inline: text } };
    await append(id, { type: 'ContentReplaced', contentVersion, payload: { content } });
    await pipeline.event(id, 'DocumentIndexed', contentVersion);
  };
  await replace('The kettle is blue.', 2);
  expect((await unitsNow(id)).map((unit) => unit.id)).not.toContain(before[0]?.id);
  await replace(TEXT, 3);
  expect(await unitsNow(id)).toEqual(before);
});

test('after a deletion no file of the log confirms a guessed text', async () => {
  const id = await pipeline.add(TEXT);
  await pipeline.event(id, 'DocumentIndexed');
  // Enough events for a snapshot of the state, which contains the key.
  for (let n = 0; n < 25; n += 1) {
    const changes = Array.from({ length: 10 }, (_, i) => ({ metadata: { n: n * 10 + i } }));
    await append(id, ...changes.map((payload) => ({ type: 'DetailsChanged', payload }) as const));
  }
  const { unitKey } = live(await pipeline.documents.load(SCOPE, id));
  const guesses = (['chunk', 'memory'] as const).flatMap((kind) =>
    Array.from(identitiesOf(kind, [TEXT]), unitIdsWith(unitKey as string)),
  );
  expect((await unitsNow(id)).map((unit) => unit.id)).toEqual(guesses);
  const stream = documentStream(ORGANIZATION, id);
  const stored = await pipeline.store.loadSnapshot(stream, `document@${STATE_VERSION}`);
  expect(stored?.state).toMatchObject({ unitKey });

  await pipeline.documents.change(SCOPE, id, systemCause(), decideDelete, { erase: true });
  const { events } = await pipeline.store.readStream(stream);
  expect(events.filter(({ payload }) => payload !== null)).toEqual([]);
  expect(await pipeline.store.loadSnapshot(stream, `document@${STATE_VERSION}`)).toBeNull();
  const { folder } = pipeline;
  await pipeline.close({ keep: true });
  const files = (await readdir(folder)).filter((name) => name.startsWith('events.db'));
  expect(files).toContain('events.db');
  const bytes = Buffer.concat(await Promise.all(files.map((name) => readFile(join(folder, name)))));
  expect([unitKey as string, ...guesses, TEXT].filter((text) => bytes.includes(text))).toEqual([]);
  expect(bytes.includes('DocumentDeleted')).toBe(true);
  await rm(folder, { recursive: true });
  pipeline = await openPipeline();
});
