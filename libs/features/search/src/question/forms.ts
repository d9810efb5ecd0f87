import { foldText } from '../analysis/fold.ts';
import { type Intent, intentOf } from './intent.ts';
import { partsOf } from './parts.ts';
import { withoutQuestionWords, wordsOf } from './plain.ts';
import { type Period, resolveDates } from './resolve-dates.ts';

/** How a form follows from the question. `asked`: as it came. */
export type FormKind = 'asked' | 'spelling' | 'dates' | 'part' | 'plain';

/** A form in which a question is searched. */
export interface QuestionForm {
  readonly text: string;
  readonly kinds: readonly FormKind[];
  /** Factor of the similarity of what it finds, 0–1: a form says less than the question. */
  readonly weight: number;
}

/** A question with the forms in which it is searched. */
export interface QuestionForms {
  /** The first one is the question. */
  readonly forms: readonly QuestionForm[];
  /** Null: the question is not rewritten. */
  readonly intent: Intent | null;
  /** What relative dates of the question cover. */
  readonly period: Period | null;
}

/** Forms of one question, the question included. */
export const MOST_FORMS = 4;
/** A longer text has too many readings. */
const MOST_CHARACTERS = 600;
/** A form without names is near to what is said of others. */
const WEIGHTS = { spelling: 0.9, dates: 1, part: 0.95, plain: 0.8 } as const;

/** Returns whether a question is short enough to be rewritten. */
export const isRewritten = (question: string): boolean => question.length <= MOST_CHARACTERS;

/** Returns a question that is searched as it is. */
export const asAsked = (question: string): QuestionForms => ({
  forms: [{ text: question, kinds: ['asked'], weight: 1 }],
  intent: null,
  period: null,
});

/**
 * Returns the forms of a question.
 * @param now milliseconds since the epoch, for relative dates
 * @param spellings of its words, folded, in place of rare ones
 */
export function formsOf(question: string, now: number, spellings: ReadonlyMap<string, string>): QuestionForms {
  const spelled = respelled(question, spellings);
  const dates = resolveDates(spelled, now);
  const corrected = dates?.text ?? spelled;
  const kinds: FormKind[] = [
    ...(spelled === question ? [] : ['spelling' as const]),
    ...(dates ? ['dates' as const] : []),
  ];
  const forms: QuestionForm[] = [...asAsked(question).forms];
  const offer = (text: string, of: readonly FormKind[], weight: number): void => {
    if (forms.length === MOST_FORMS || forms.some((form) => isSame(form.text, text))) return;
    forms.push({ text, kinds: of, weight });
  };
  const weight = spelled === question ? 1 : WEIGHTS.spelling;
  if (kinds.length > 0) offer(corrected, kinds, weight);
  const parts = partsOf(corrected, MOST_FORMS - 1);
  for (const part of parts) offer(part, [...kinds, 'part'], weight * WEIGHTS.part);
  const plain = withoutQuestionWords(corrected);
  if (plain !== null) offer(plain, [...kinds, 'plain'], weight * WEIGHTS.plain);
  return { forms, intent: intentOf(question), period: dates?.period ?? null };
}

const isSame = (a: string, b: string): boolean => foldText(a) === foldText(b);

/** Returns a question with other spellings of some of its words. */
function respelled(question: string, spellings: ReadonlyMap<string, string>): string {
  let text = '';
  let end = 0;
  for (const { text: word, folded, at } of wordsOf(question)) {
    const spelling = spellings.get(folded);
    if (spelling === undefined) continue;
    text += question.slice(end, at) + spelling;
    end = at + word.length;
  }
  return text + question.slice(end);
}
