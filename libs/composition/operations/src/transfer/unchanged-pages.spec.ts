import type { RecordedEvent } from '#ports/event-store';
import { withResultsOfUnchangedPages } from './unchanged-pages.ts';

const of = (type: string, contentVersion: number): RecordedEvent =>
  ({ envelope: { type, contentVersion }, payload: {} }) as unknown as RecordedEvent;
const TEXT = ['ContentExtracted', 'ContentChunked', 'MemoriesFormed'];
const texts = (version: number) => TEXT.map((type) => of(type, version));
const ofVersion = (events: readonly RecordedEvent[], version: number) =>
  withResultsOfUnchangedPages(events)
    .filter(({ envelope }) => envelope.contentVersion === version)
    .map(({ envelope }) => envelope.type);

test('given a page that was fetched without a change, then it has the results of the version before', () => {
  const events = [...texts(1), of('SummaryFormed', 1), of('PageUnchanged', 2)];
  expect(ofVersion(events, 2)).toEqual([...TEXT, 'SummaryFormed']);
});

test('given other text without a summary yet, then the summary of the text before is not taken for it', () => {
  const events = [...texts(1), of('SummaryFormed', 1), ...texts(2), of('PageUnchanged', 3)];
  expect(ofVersion(events, 3)).toEqual(TEXT);
});
