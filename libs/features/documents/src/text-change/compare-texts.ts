import { inTurns, type Steps } from '#platform/kernel';
import { endsWithSentence, type Said, saidIn } from '#processing/extraction';
import { commonTurns, isEditedVersion } from './compare-turns.ts';
import { isEditedText } from './edited-text.ts';

/** How a text that is sent for an existing document changes the stored one. */
export type TextChange =
  | { readonly kind: 'none' }
  /** `text` follows the stored text. `border`: only the new part was sent, and begins there. Null: the whole text has grown. */
  | { readonly kind: 'append'; readonly text: string; readonly border: number | null }
  | { readonly kind: 'replace'; readonly text: string };

export interface Comparison {
  /** The text is what a former attempt of the same request appended, and nothing else was written since. */
  readonly isRepeatedDelta: boolean;
  /** The client sends the whole text each time, whatever its likeness to the stored one. */
  readonly overwrites: boolean;
}

/** Code units that are compared in one step. */
const BLOCK = 4096;
/** Code units after which others take their turn, about: what takes a few milliseconds. */
const TURN = 4_194_304;

const NONE: TextChange = { kind: 'none' };

/**
 * Compares the text of a request with the stored one, row by row of the contract (§3.3). Linear in both lengths. Other work
 * goes on in between.
 */
export const compareTexts = (stored: string, sent: string, comparison: Comparison): Promise<TextChange> =>
  inTurns(compare(stored, sent, comparison));

function* compare(stored: string, sent: string, { isRepeatedDelta, overwrites }: Comparison): Steps<TextChange> {
  if (isRepeatedDelta) return NONE;
  const prefix = yield* commonPrefix(stored, sent);
  if (prefix === stored.length && prefix === sent.length) return NONE;
  if (overwrites) return { kind: 'replace', text: sent };
  if (prefix === stored.length && goesOn(stored, sent)) {
    return { kind: 'append', text: sent.slice(stored.length), border: null };
  }
  const said = yield* saidIn(sent);
  if (said !== null) return yield* compareTranscripts(stored, sent, said);
  // A transcript is not replaced by another text.
  const isEdited = (yield* isEditedText(stored, sent)) && (yield* saidIn(stored)) === null;
  return isEdited ? { kind: 'replace', text: sent } : delta(stored, sent);
}

function* compareTranscripts(stored: string, sent: string, said: readonly Said[]): Steps<TextChange> {
  const before = yield* saidIn(stored);
  if (before === null) return delta(stored, sent);
  const common = yield* commonTurns(before, said, isSameTurn);
  if (isEditedVersion(common, before)) return { kind: 'replace', text: sent };
  if (common.window === 0) return delta(stored, sent);
  const next = said[common.window];
  return next === undefined ? NONE : delta(stored, sent.slice(next.from).trimStart());
}

const isSameTurn = (a: Said, b: Said): boolean => a.speaker === b.speaker && a.words === b.words;

const delta = (stored: string, sent: string): TextChange => {
  const [text, border] = stored.endsWith('\n') ? [sent, 0] : [`\n${sent}`, 1];
  return { kind: 'append', text, border };
};

/** Whether a text that begins with the stored one is that text with more behind it, and not another last word or number. */
function goesOn(stored: string, sent: string): boolean {
  const seam = sent.slice(stored.length - 1, stored.length + 1);
  return /\s/.test(seam) || (endsWithSentence(stored) && !/^\.\d/.test(seam));
}

function* commonPrefix(a: string, b: string): Steps<number> {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at + BLOCK <= end && a.slice(at, at + BLOCK) === b.slice(at, at + BLOCK)) {
    at += BLOCK;
    if (at % TURN === 0) yield;
  }
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}
