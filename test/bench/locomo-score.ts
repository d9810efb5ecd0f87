import { CATEGORIES, type Category, type Question, type Turn } from './locomo-data.ts';

/** Texts of the results of a question, best first. */
export interface QueryResult {
  readonly question: Question;
  readonly results: readonly string[];
}

/** Mean share of found evidence turns over the questions, 0…1. */
export interface Recall {
  readonly questions: number;
  readonly recallAt1: number;
  readonly recallAt5: number;
  readonly recallAt10: number;
  readonly recallAt15: number;
  /** Within the first results of at most 400 tokens in total. */
  readonly within400Tokens: number;
  readonly within720Tokens: number;
}

export interface Score {
  readonly all: Recall;
  readonly byCategory: Readonly<Record<(typeof CATEGORIES)[Category], Recall>>;
}

const LETTERS_PER_TOKEN = 4;

export function score(asked: readonly QueryResult[]): Score {
  const byCategory = Object.entries(CATEGORIES).map(([category, name]) => {
    const own = asked.filter(({ question }) => question.category === Number(category));
    return [name, recall(own)];
  });
  return { all: recall(asked), byCategory: Object.fromEntries(byCategory) };
}

function recall(asked: readonly QueryResult[]): Recall {
  const mean = (select: (results: readonly string[]) => readonly string[]): number =>
    asked.reduce((sum, { question, results }) => sum + shareFound(question.evidence, select(results)), 0) /
    asked.length;
  const first = (count: number) => (results: readonly string[]) => results.slice(0, count);
  const within = (tokens: number) => (results: readonly string[]) => results.slice(0, fitting(results, tokens));
  return {
    questions: asked.length,
    recallAt1: mean(first(1)),
    recallAt5: mean(first(5)),
    recallAt10: mean(first(10)),
    recallAt15: mean(first(15)),
    within400Tokens: mean(within(400)),
    within720Tokens: mean(within(720)),
  };
}

/** Returns the number of leading results that fit completely. */
function fitting(results: readonly string[], tokens: number): number {
  let letters = 0;
  const beyond = results.findIndex((text) => {
    letters += text.length;
    return letters > tokens * LETTERS_PER_TOKEN;
  });
  return beyond === -1 ? results.length : beyond;
}

/** Returns the share of evidence turns that the results hold, 0…1. */
export function shareFound(evidence: readonly Turn[], results: readonly string[]): number {
  const texts = results.map(plain);
  const found = evidence.filter((turn) => texts.some((text) => holds(text, plain(turn.line))));
  return found.length / evidence.length;
}

/** As {@link holds}, of texts as they are. */
export const holdsTurn = (result: string, turn: Turn): boolean => holds(plain(result), plain(turn.line));

/** True if the result contains the turn, or is a part of at least half its length (long turns are several memories). */
function holds(result: string, turn: string): boolean {
  return result.includes(turn) || (result.length * 2 >= turn.length && turn.includes(result));
}

/** Returns the words with a space before and after each, so that whole words are compared. */
function plain(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return ` ${words.join(' ')} `;
}
