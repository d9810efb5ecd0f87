import fc from 'fast-check';
import type { Recorded } from '#platform/kernel';
import type { DocumentEvent } from '../events.ts';
import {
  added,
  appended,
  chunked,
  deleted,
  embedded,
  extracted,
  failed,
  formed,
  given,
  indexed,
  recorded,
  restarted,
  started,
  summarized,
} from '../testing.ts';
import { evolveProgress, type Progress, progressOf } from './progress.ts';

/** Paths that decisions permit: each step is chosen among the events that may follow. */
const arbitraryPath = fc.array(fc.nat(7), { maxLength: 24 }).map((choices) => {
  const events: Recorded<DocumentEvent>[] = [added()];
  let version = 1;
  for (const step of choices) {
    const state = given(...events);
    if (state.status !== 'live') break;
    const possible = followers(state.stage, version);
    const next = possible[step % possible.length] ?? [];
    events.push(...next);
    if (next[0]?.type === 'ContentAppended') version += 1;
  }
  return events;
});

/** The result of a backfill that records no event type of its own. */
const tagged = (contentVersion: number) =>
  recorded({ type: 'DetailsChanged', contentVersion, stage: 'tagging', payload: { metadataAdded: { tagged: true } } });

const picturesRead = (contentVersion: number) =>
  recorded({ type: 'PicturesRead', contentVersion, stage: 'extracting', payload: { pictures: { inline: [] } } });

function followers(stage: string, version: number): readonly (readonly Recorded<DocumentEvent>[])[] {
  const anytime = [[appended(' more', version + 1)], [picturesRead(version)], [deleted()]];
  switch (stage) {
    case 'queued':
    case 'extracting':
      return [[extracted(version)], [started('extracting', 1, version)], [failed(version)], ...anytime];
    case 'chunking':
      return [
        [chunked(version), formed(version)],
        [chunked(version), formed(version), summarized(version)],
        [started('chunking', 1, version)],
        [failed(version)],
        ...anytime,
      ];
    case 'embedding':
      return [
        [embedded(version)],
        [embedded(version), summarized(version)],
        [started('embedding', 1, version)],
        [indexed(version)],
        ...anytime,
      ];
    case 'indexing':
      return [[indexed(version)], [failed(version)], ...anytime];
    case 'done':
      return [[embedded(version)], [summarized(version)], [tagged(version)], [failed(version)], ...anytime];
    default:
      return [[restarted(version)], ...anytime];
  }
}

test('envelopes alone yield the progress that the state yields', () => {
  fc.assert(
    fc.property(arbitraryPath, (events) => {
      const state = given(...events);
      const progress = events.reduce<Progress | null>(evolveProgress, null);
      expect(progress).toEqual(state.status === 'live' ? progressOf(state) : null);
    }),
  );
});
