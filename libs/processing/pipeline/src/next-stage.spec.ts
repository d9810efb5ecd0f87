import { evolveProgress, type Progress } from '#features/documents';
import { nextBackfill, nextStage, progressOfRow } from './next-stage.ts';
import { inOrder, STAGES } from './stages/registry.ts';

const always = () => true;
const never = () => false;
const added = { type: 'DocumentAdded', contentVersion: 1 };
const extracted = { type: 'ContentExtracted', contentVersion: 1, stage: 'extracting' };
const formed = { type: 'MemoriesFormed', contentVersion: 1, stage: 'chunking' };
const embedded = { type: 'UnitsEmbedded', contentVersion: 1, stage: 'embedding' };
const summarized = { type: 'SummaryFormed', contentVersion: 1, stage: 'summarizing' };
const indexed = { type: 'DocumentIndexed', contentVersion: 1, stage: 'indexing' };
const failed = { type: 'ProcessingFailed', contentVersion: 1, stage: 'extracting' };
const deleted = { type: 'DocumentDeleted' };

const given = (...envelopes: readonly Parameters<typeof evolveProgress>[1][]) =>
  envelopes.reduce<Progress | null>(evolveProgress, null);

test.each([
  ['added', given(added), 'extract'],
  ['extracted', given(added, extracted), 'chunk'],
  ['formed', given(added, extracted, formed), 'embed'],
  ['embedded', given(added, extracted, formed, embedded), 'index'],
  ['indexed', given(added, extracted, formed, embedded, indexed), undefined],
  ['failed', given(added, failed), undefined],
  ['deleted', given(added, deleted), undefined],
])('given a document that is %s, then its next stage follows', (_, progress, stage) => {
  expect(nextStage(progress, STAGES, always)?.name).toBe(stage);
});

test('given no model, then the embed stage is skipped', () => {
  expect(nextStage(given(added, extracted, formed), STAGES, never)?.name).toBe('index');
});

test('given a document that was done without a model, then its vectors are a backfill once there is one', () => {
  const done = given(added, extracted, formed, summarized, indexed);
  expect(nextBackfill(done, STAGES, never)).toBeNull();
  expect(nextBackfill(done, STAGES, always)?.name).toBe('embed');
  expect(nextBackfill(given(added, extracted, formed, summarized, indexed, embedded), STAGES, always)).toBeNull();
});

test('given a document that was done without a summary, then that is a backfill, whether there is a model or not', () => {
  const done = given(added, extracted, formed, embedded, indexed);
  expect(nextBackfill(done, STAGES, never)?.name).toBe('summarize');
  expect(nextBackfill(done, STAGES, always)?.name).toBe('summarize');
  expect(nextBackfill(given(added, extracted, formed, embedded, indexed, summarized), STAGES, always)).toBeNull();
});

test.each(['queued', 'extracting', 'chunking', 'embedding', 'indexing'] as const)(
  'given a row in the stage %s, then the progress is that of the envelopes',
  (stage) => {
    const paths = { queued: [], extracting: [], chunking: [extracted], embedding: [extracted, formed] } as const;
    const path = stage === 'indexing' ? [extracted, formed, embedded] : paths[stage];
    const progress = { ...given(added, ...path), stage };
    expect(progressOfRow({ stage, contentVersion: 1 }, STAGES)).toEqual(progress);
  },
);

test('given a row that says that its summary is recorded, then the progress says so too', () => {
  const progress = { ...given(added, extracted, formed, summarized), stage: 'embedding' };
  expect(progressOfRow({ stage: 'embedding', contentVersion: 1, isSummarized: true }, STAGES)).toEqual(progress);
});

test('stages are ordered by their predecessors, and a missing predecessor is refused', () => {
  expect(inOrder([...STAGES].reverse()).map(({ name }) => name)).toEqual([
    ...['extract', 'chunk', 'embed', 'index'],
    'summarize',
  ]);
  expect(() => inOrder(STAGES.slice(1))).toThrow('no stage precedes');
});
