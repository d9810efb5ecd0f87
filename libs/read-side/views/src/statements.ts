import { datesIn } from '#features/search';
import { contentHash } from '#platform/kernel';
import type { DocumentRow, RowMemory, Unit } from './documents.ts';

/** Punctuation around words. Signs in front of numbers, and marks that change a word ("C#", "50%"), are not among it. */
const [BEFORE, AFTER] = [
  /^(?:[\p{Ps}\p{Pi}\p{Pf}"'`.,;:!?¡¿…*_~]|\p{Pd}(?!\p{N}))+/u,
  /[\p{Pe}\p{Pi}\p{Pf}\p{Pd}"'`.,;:!?…*_~。、]+$/u,
];
const ENDS_IN_QUESTION = /[?]["'`\p{Pf}\p{Pe}\s]*$/u;

/**
 * Returns a text in the form in which equal statements are the same: without regard to case, white space, and punctuation
 * around words, but for a question mark at the end.
 */
export function foldedText(text: string): string {
  const plain = text.normalize('NFKC').toLowerCase();
  const words = plain.split(/\s+/u).map((word) => word.replace(BEFORE, '').replace(AFTER, ''));
  const kept = words.filter((word) => word !== '').join(' ');
  if (kept === '') return plain.trim();
  return ENDS_IN_QUESTION.test(plain) ? `${kept}?` : kept;
}

/** Of units that are in memory: a search compares its hits several times. */
const foldedTexts = new WeakMap<Pick<Unit, 'text'>, string>();

/** Returns the folded text of a unit, which is not changed. */
export function foldedTextOf(unit: Pick<Unit, 'text'>): string {
  const folded = foldedTexts.get(unit) ?? foldedText(unit.text);
  foldedTexts.set(unit, folded);
  return folded;
}

/** By which memories with a text, in whatever form, are found. */
export const textHash = (organization: string, text: string): string =>
  contentHash('statement', organization, foldedText(text));

/** The fields of a unit and its document that decide its statement. */
export type Statement = Pick<Unit, 'text' | 'speaker'> & {
  readonly document: Pick<DocumentRow, 'tags' | 'documentDate' | 'createdAt'> & {
    readonly memory?: Pick<RowMemory, 'temporalContext'>;
  };
};

/**
 * Returns the same for memories that say the same: of the same tags and speaker, with the same text in whatever form, and of
 * the same dates. A relative date ("yesterday") is resolved by the date of the document, without one by that of its creation.
 */
export function statementOf({ text, speaker, document }: Statement): string {
  const { tags, documentDate, createdAt, memory } = document;
  const dates = [datesIn(text, documentDate, createdAt), memory?.temporalContext?.eventDate ?? []];
  return JSON.stringify([foldedText(text), speaker, [...new Set(tags)].sort(), dates]);
}
