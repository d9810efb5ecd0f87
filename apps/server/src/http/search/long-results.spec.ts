import type { DocumentResult } from '#features/search/use-cases';
import { ROW } from '../testing/fixtures.ts';
import { longResultsJson } from './long-results.ts';
import { documentResults } from './search.responses.ts';

test('results with content that is read while they are sent equal those that were read before', async () => {
  const result = { document: ROW, score: 1, chunks: [] };
  const omitted = { ...result, content: null, contentOmitted: true } as const;
  async function* pieces() {
    yield* ['a "', '\uD83D', '\uDE00'];
  }
  const lazy: readonly DocumentResult[] = [
    { ...result, content: async () => pieces() },
    omitted,
    { ...result, content: 'short' },
  ];
  const read: readonly DocumentResult[] = [
    { ...result, content: 'a "\uD83D\uDE00' },
    omitted,
    { ...result, content: 'short' },
  ];
  const parts = { includeFullDocs: true, includeSummary: true, explain: true };
  const rewriting = { intent: 'when', forms: [{ text: 'when "now"', kinds: ['asked'] }] } as const;
  const answer = JSON.parse(
    (await Array.fromAsync(longResultsJson({ results: lazy, rewriting, timing: 1.5 }, parts))).join(''),
  );
  expect(answer).toEqual(JSON.parse(JSON.stringify(documentResults({ results: read, rewriting, timing: 1.5 }, parts))));
  expect(answer.explain).toEqual(rewriting);
  expect(answer.results.map((one: object) => 'contentOmitted' in one)).toEqual([false, true, false]);
});
