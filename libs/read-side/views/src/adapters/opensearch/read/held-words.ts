import { countsByTerm, type HeldTerms } from '#features/search';
import type { Hit } from '../connection.ts';
import { infoOf } from '../unit-hits.ts';
import type { Form, Question } from './question.ts';

const LENGTHS = { bare: 'bareLength', wide: 'wideLength', whole: 'wholeLength' } as const;

/** Returns the words of a hit whose counts and info were read. */
export const heldBy = (question: Question, form: Form, hit: Hit<unknown>): HeldTerms => ({
  counts: heldCounts(question, form, hit),
  length: infoOf(hit)[LENGTHS[form]],
});

/** Returns the count of each term of the question. */
export const heldCounts = (
  { names, prepared }: Question,
  form: Form,
  { matched_queries: scores }: Hit<unknown>,
): number[] =>
  countsByTerm(
    prepared,
    names[form].map((name) => scores?.[name] ?? 0),
  );

export const holdsWords = ({ counts }: HeldTerms): boolean => Array.from(counts).some((count) => count > 0);
