import { err, ok, type Recorded } from '#platform/kernel';
import type { DocumentEvent } from '../events.ts';
import {
  added,
  appended,
  chunked,
  deleted,
  done,
  extracted,
  failed,
  formed,
  given,
  restarted,
  summarized,
} from '../testing.ts';
import { decideChunked, decideEmbedded, decideExtracted } from './decide.ts';
import { decideSummarized } from './decide-summarized.ts';

const OUTDATED = err('outdated');
const event = (summary: string | null) => ({
  ...{ type: 'SummaryFormed', contentVersion: 1, stage: 'summarizing' },
  payload: { summary },
});
const pieces = { chunks: { inline: [] }, memories: { inline: [] }, unitKey: 'key-1', sizes: {} };
const EXTRACTED = { text: null, title: null, type: 'text' };
const typesOf = (decided: { ok: boolean; value?: readonly { type: string }[] }) =>
  decided.value?.map(({ type }) => type);

describe('a document that is done', () => {
  test('given none for its content, then its summary is recorded, also that there is nothing to say', () => {
    for (const summary of ['The ferry leaves.', null]) {
      expect(decideSummarized(given(added(), ...done()), 1, summary)).toEqual(ok([event(summary)]));
    }
  });

  test.each([
    ['a summary', given(added(), ...done(), summarized())],
    ['a summary that says nothing', given(added(), ...done(), summarized(1, null))],
    ['a summary by its passages', given(added(), extracted(), chunked(), formed(), summarized())],
    ['other content since', given(added(), ...done(), appended(' world', 2))],
    ['its deletion', given(added(), ...done(), deleted())],
    ['a failure', given(added(), ...done(), failed())],
    ['no passages yet', given(added(), extracted())],
  ])('given %s, then nothing is recorded', (_, state) => {
    expect(decideSummarized(state, 1, 'The ferry leaves.')).toEqual(OUTDATED);
  });

  test('given other content or a restart, then a summary is recorded again', () => {
    const past = [added(), ...done(), summarized()];
    expect(decideSummarized(given(...past, appended(' world', 2), ...done(2)), 2, 'x').ok).toBe(true);
    expect(decideSummarized(given(...past, failed(), restarted(), ...done()), 1, 'x').ok).toBe(true);
  });
});

describe('a summary that is formed with other results', () => {
  test('given passages with one, then it is recorded with them', () => {
    const types = ['ContentChunked', 'MemoriesFormed'];
    const state = given(added(), extracted());
    expect(typesOf(decideChunked(state, 1, pieces))).toEqual(types);
    expect(typesOf(decideChunked(state, 1, { ...pieces, summary: null }))).toEqual([...types, 'SummaryFormed']);
    const extraction = decideExtracted(given(added()), 1, EXTRACTED, {}, { ...pieces, summary: 'x' });
    expect(typesOf(extraction)).toEqual(['ContentExtracted', ...types, 'SummaryFormed']);
  });

  test('given a change that waited for the text, then none is recorded for the version that ends', () => {
    const { type, contentVersion, payload } = appended(' world', 2);
    const waited = { compared: 0, events: [{ type, contentVersion, payload } as const] };
    const decided = decideExtracted(given(added()), 1, EXTRACTED, {}, { ...pieces, summary: 'x' }, waited);
    expect(typesOf(decided)).toEqual(['ContentExtracted', 'ContentChunked', 'MemoriesFormed', 'ContentAppended']);
  });

  test('given vectors, then theirs is recorded with them, unless it is the same', () => {
    const past = [added(), extracted(), chunked(), formed()];
    const by = (summary: string | null, ...events: readonly Recorded<DocumentEvent>[]) =>
      typesOf(decideEmbedded(given(...past, ...events), 1, 'space-1', { renewed: false, sizes: {}, summary }));
    expect(by('by vectors')).toEqual(['UnitsEmbedded', 'SummaryFormed']);
    expect(by('by vectors', summarized(1, 'by words'))).toEqual(['UnitsEmbedded', 'SummaryFormed']);
    expect(by('by words', summarized(1, 'by words'))).toEqual(['UnitsEmbedded']);
    expect(by(null)).toEqual(['UnitsEmbedded', 'SummaryFormed']);
  });
});

describe('the document', () => {
  const summaryOf = (...events: readonly Recorded<DocumentEvent>[]) => {
    const state = given(added(), ...events);
    return state.status === 'live' ? [state.summary, state.isSummarized] : null;
  };

  test('shows the summary that was recorded last, and none of earlier content once that is read', () => {
    expect(summaryOf(...done(), summarized(1, 'old'), summarized(1, 'new'))).toEqual(['new', true]);
    expect(summaryOf(...done(), summarized(), appended(' world', 2))).toEqual(['hello', false]);
    expect(summaryOf(...done(), summarized(), appended(' world', 2), extracted(2))).toEqual([null, false]);
    expect(summaryOf(...done(), summarized(), appended(' world', 2), summarized(1, 'late'))).toEqual(['hello', false]);
  });

  test('is not changed by its summary', () => {
    const late = { ...summarized(), at: '2030-01-01T00:00:00.000Z' };
    const [before, after] = [given(added(), ...done()), given(added(), ...done(), late)];
    expect(after).toMatchObject({ summary: 'hello', updatedAt: before.status === 'live' && before.updatedAt });
  });
});
