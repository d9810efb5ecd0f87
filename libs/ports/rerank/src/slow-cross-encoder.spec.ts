import { performance } from 'node:perf_hooks';
import { jest } from '@jest/globals';
import type { ComparisonResult, CrossEncoder } from '#ports/models';
import { CrossEncoderReranker } from './adapters/cross-encoder/cross-encoder-reranker.ts';
import { FirstReranker } from './first-reranker.ts';
import { RERANK_MS } from './port.ts';
import { FakeReranker } from './testing.ts';

/** A cross-encoder that needs longer for a passage than a question has. */

const TOO_LATE: ComparisonResult = { scores: [null, null], failed: false };
const PASSAGES = ['abc', 'd'].map((text) => ({ text, space: null, unitId: text, organization: 'org' }));

let now: number;
let answer: ComparisonResult;
let warned: string[];
let reranker: FirstReranker;
beforeEach(() => {
  now = 1_000;
  answer = TOO_LATE;
  warned = [];
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const compare: CrossEncoder['compare'] = async (_question, _texts, { ended }) => {
    ended(null);
    return answer;
  };
  const logger = { warn: (message: string) => void warned.push(message) };
  reranker = new FirstReranker([
    new CrossEncoderReranker({ compare, close: async () => {} }, logger),
    new FakeReranker({ abc: 0.5 }),
  ]);
});
afterEach(() => void jest.restoreAllMocks());

async function ask(questions: number, everyMs: number): Promise<void> {
  for (let i = 0; i < questions; i += 1) {
    await reranker.rerank('q', PASSAGES, RERANK_MS);
    now += everyMs;
  }
}

test('is reported and replaced after some questions, and tried again later', async () => {
  await ask(10, 5_000);
  expect(warned).toEqual([expect.stringContaining('too slow')]);
  expect(reranker.method()).toBe('maxsim');
  expect(await reranker.rerank('q', PASSAGES, RERANK_MS)).toEqual({ method: 'maxsim', scores: [0.5, null] });
  now += 300_000;
  expect(reranker.method()).toBe('cross-encoder');
});

test('is not too slow while its process starts, or when it compares a passage in between', async () => {
  await ask(15, 100);
  answer = { scores: [1.5, null], failed: false };
  await ask(1, 60_000);
  answer = TOO_LATE;
  await ask(9, 60_000);
  expect([reranker.method(), warned]).toEqual(['cross-encoder', []]);
});
