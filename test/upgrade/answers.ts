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
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Answered);
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
    // Another processor computes other vectors: near ones, in an order that may differ where two are close.
    const isNear = moment.includes('vectors') && /search|profile/.test(expected.path);
    if (isNear) expect(withNumbersOf(sorted(expected), sorted(actual), MODEL_TOLERANCE)).toEqual(sorted(expected));
    else expect(actual).toEqual(expected);
  }
}

interface Comparing {
  readonly isLater: boolean;
  readonly hasNewUnits: boolean;
}

function comparable(value: unknown, options: Comparing): unknown {
  const { isLater, hasNewUnits } = options;
  if (typeof value === 'string') {
    const hash = () => createHash('sha256').update(value).digest('hex').slice(0, 16);
    return value.length > LONG ? `${value.slice(0, BEGINNING)}… ${hash()}` : value;
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => comparable(item, options));
    return hasNewUnits ? sorted(items) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const isUnit = 'memory' in value || 'chunk' in value;
  const isLeftOut = (name: string) =>
    name === 'timing' ||
    name === 'requestId' ||
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
    Object.entries(value).map(([name, one]) => [name, withNumbersOf(known[name], one, tolerance)]),
  );
}

/** Lists in an order that does not depend on their numbers. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    const key = (item: unknown) => JSON.stringify(item, (_, one) => (typeof one === 'number' ? undefined : one)) ?? '';
    return value.map(sorted).sort((a, b) => (key(a) < key(b) ? -1 : 1));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, sorted(one)]));
}
