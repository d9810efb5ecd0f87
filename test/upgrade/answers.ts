import { readFile, writeFile } from 'node:fs/promises';
import { eventually, type Mneme } from '../support/mneme.ts';
import { QUESTIONS, type Question } from './story.ts';

/** A question, and what was answered to it. */
export interface Answered extends Question {
  readonly status: number;
  readonly answer: unknown;
}

/** Change with the time of asking. */
const OF_THE_REQUEST: ReadonlySet<string> = new Set(['timing', 'requestId', 'took']);

/** Asks everything, once all documents are processed. */
export async function answersOf(mneme: Mneme): Promise<readonly Answered[]> {
  await eventually(async () => {
    const { documents } = (await mneme.get<{ documents: readonly object[] }>('/v3/documents/processing')).body;
    return documents.length === 0 ? true : null;
  });
  const answers: Answered[] = [];
  for (const question of QUESTIONS) {
    const { method, path, body, fields } = question;
    const { status, body: answer } = await mneme.request(method, path, body);
    answers.push({ ...question, status, answer: fields === undefined ? lasting(answer) : picked(answer, fields) });
  }
  return answers;
}

export const writeAnswers = (file: string, answers: readonly Answered[]): Promise<void> =>
  writeFile(file, answers.map((one) => `${JSON.stringify(one)}\n`).join(''));

export const readAnswers = async (file: string): Promise<readonly Answered[]> =>
  (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Answered);

function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lasting);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !OF_THE_REQUEST.has(name));
  return Object.fromEntries(kept.map(([name, one]) => [name, lasting(one)]));
}

const picked = (answer: Record<string, unknown>, fields: readonly string[]) =>
  Object.fromEntries(fields.flatMap((field) => (field in answer ? [[field, answer[field]]] : [])));
