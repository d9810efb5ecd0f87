import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Mneme } from '../support/mneme.ts';

/** A request, and what the older version answered to it. */
export interface Answered {
  /** Which moment of a story it belongs to. */
  readonly moment: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  /** Passages of these documents were not formed yet in the state: each version gives them ids of its own. */
  readonly hasNewUnits?: boolean;
  readonly status: number;
  readonly answer: unknown;
}

export type Question = Omit<Answered, 'moment' | 'status' | 'answer'>;

/** Similarities of one model differ between processors by less than this. */
const MODEL_TOLERANCE = 0.02;
const SAME = 1e-6;
/** Longer texts are kept as a hash behind their beginning. */
const LONG = 80;
const BEGINNING = 30;

/** One JSON object per line. */
export function readAnswers(file: string): readonly Answered[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const known = (name: string, value: unknown) => (ADDED.has(name) ? undefined : value);
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line, known) as Answered);
}

export function writeAnswers(file: string, answers: readonly Answered[]): void {
  writeFileSync(file, answers.map((one) => `${JSON.stringify(one)}\n`).join(''));
}

/** Asks, and keeps of the answer what does not depend on the time of asking. */
export async function askOnce(mneme: Mneme, moment: string, question: Question): Promise<Answered> {
  const { method, path, body, hasNewUnits = false } = question;
  const { status, body: answer } = await mneme.request(method, path, body);
  const asked = { moment, method, path, ...(body && { body }), ...(hasNewUnits && { hasNewUnits }) };
  return { ...asked, status, answer: comparable(answer, { isLater: moment.includes('after'), hasNewUnits }) };
}

/** Asserts that a server answers all questions of a moment as the older version did. */
export async function expectSameAnswers(mneme: Mneme, answers: readonly Answered[], moment: string): Promise<void> {
  const ofMoment = answers.filter((one) => one.moment === moment);
  expect(ofMoment).not.toEqual([]);
  for (const expected of ofMoment) {
    const actual = await askOnce(mneme, moment, expected);
    if (isDeepStrictEqual(withNumbersOf(expected, actual, SAME), expected)) continue;
    if (moment.includes('vectors') && expected.path.endsWith('search')) await expectNear(mneme, expected, actual);
    else expect(actual).toEqual(expected);
  }
}

/**
 * Another processor computes other vectors, near ones: where two results are close, their order differs, and which of them
 * is the last one. So the answer has as many results, and without the limit it has the expected ones.
 */
async function expectNear(mneme: Mneme, expected: Answered, actual: Answered): Promise<void> {
  expect(actual.status).toBe(expected.status);
  expect(resultsOf(actual)).toHaveLength(resultsOf(expected).length);
  const unlimited = await askOnce(mneme, expected.moment, { ...expected, body: { ...expected.body, limit: 100 } });
  expectAmong(resultsOf(expected), resultsOf(unlimited));
}

/** Asserts that each of the expected items is there, with near numbers. Lists in them may be longer. */
function expectAmong(expected: readonly Result[], actual: readonly Result[]): void {
  for (const item of expected) {
    const alike = actual.filter((one) => likenessOf(one) === likenessOf(item));
    const found = alike.find((one) => identityOf(one) === identityOf(item));
    const { chunks = [], ...own } = item;
    if (found !== undefined) {
      const { chunks: foundChunks = [], ...foundOwn } = found;
      expect(withNumbersOf(own, foundOwn, MODEL_TOLERANCE)).toEqual(own);
      expectAmong(chunks, foundChunks);
    } else {
      // Of passages with the same text an answer has one, and two of them may be equally good.
      expect({ item, similarity: withNumbersOf(own.similarity, alike[0]?.similarity, MODEL_TOLERANCE) }).toEqual({
        item,
        similarity: own.similarity ?? 'that of a passage with this text',
      });
    }
  }
}

interface Result {
  readonly similarity?: number;
  /** Of a result of the memory search: one of the two. Of passages with the same text, the better one is found. */
  readonly memory?: string;
  readonly chunk?: string;
  /** Of a result of the document search. */
  readonly chunks?: readonly Result[];
}

const resultsOf = ({ answer }: Answered) => (answer as { readonly results: readonly Result[] }).results;

/** The same for passages with the same text. */
const likenessOf = (item: Result): string => item.memory ?? item.chunk ?? identityOf(item);

/** What distinguishes a result beside its scores. */
function identityOf(item: Result): string {
  const isScore = (one: unknown) => typeof one === 'number' && !Number.isInteger(one);
  return JSON.stringify(item, (name, one) => (isScore(one) || name === 'chunks' ? undefined : one));
}

interface Comparing {
  readonly isLater: boolean;
  readonly hasNewUnits: boolean;
}

/**
 * Fields of records and passages that the older version did not have, and the summary, which it formed in another way: they are
 * not compared.
 */
const ADDED: ReadonlySet<string> = new Set([
  'language',
  'author',
  'canonicalUrl',
  'location',
  'ranking',
  'processingProgress',
  'summary',
]);

/** The newer version forms the summaries of documents that the older one had finished. */
const isNewEvent = (item: { readonly type?: unknown } | null): boolean => item?.type === 'SummaryFormed';

function comparable(value: unknown, options: Comparing): unknown {
  const { isLater, hasNewUnits } = options;
  if (typeof value === 'string') {
    const hash = () => createHash('sha256').update(value).digest('hex').slice(0, 16);
    return value.length > LONG ? `${value.slice(0, BEGINNING)}… ${hash()}` : value;
  }
  if (Array.isArray(value)) {
    const items = value.filter((item) => !isNewEvent(item)).map((item) => comparable(item, options));
    return hasNewUnits ? sorted(items) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const isUnit = 'memory' in value || 'chunk' in value;
  const isRecord = 'dreamingStatus' in value;
  const isLeftOut = (name: string) =>
    name === 'timing' ||
    name === 'requestId' ||
    // The older version had no memories in its records, and none of these fields.
    (isRecord && name === 'memories') ||
    ADDED.has(name) ||
    (isLater && name === 'updatedAt') ||
    (hasNewUnits && isUnit && (name === 'id' || name === 'rootMemoryId'));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isLeftOut(name))
      .map(([name, one]) => [name, comparable(one, options)]),
  );
}

/** The value, with each number that is close enough to the expected one replaced by it. */
function withNumbersOf(expected: unknown, value: unknown, tolerance: number): unknown {
  if (typeof value === 'number' && typeof expected === 'number') {
    return Math.abs(value - expected) <= tolerance ? expected : value;
  }
  if (Array.isArray(value) && Array.isArray(expected)) {
    return value.map((item, i) => withNumbersOf(expected[i], item, tolerance));
  }
  if (typeof value !== 'object' || value === null || typeof expected !== 'object' || expected === null) return value;
  const known = expected as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      isNewTitle(known, name)
        ? null
        : isNewReason(known, name, value)
          ? known[name]
          : withNumbersOf(known[name], one, tolerance),
    ]),
  );
}

/** The older version gave no title to a document that failed before its text was read. */
const isNewTitle = (known: Record<string, unknown>, name: string): boolean =>
  name === 'title' && known.title === null && known.processingStage === 'failed';

/** The older version gave the same reasons in other words. */
const isNewReason = (known: Record<string, unknown>, name: string, value: object): boolean =>
  name === 'message' && 'code' in value && value.code === known.code;

/** Lists in an order that does not depend on their numbers. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    const key = (item: unknown) => JSON.stringify(item, (_, one) => (typeof one === 'number' ? undefined : one)) ?? '';
    return value.map(sorted).sort((a, b) => (key(a) < key(b) ? -1 : 1));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, sorted(one)]));
}
