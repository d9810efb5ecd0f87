import { isTranscript, type Turn, turnsOf } from './text.ts';

/**
 * What a text does to the stored one, row by row of the contract's table (§3.3), as simply as it can be said. Row 2, the
 * retry of a delta, is decided by the caller.
 */
export interface Change {
  readonly kind: 'none' | 'grown' | 'replaced' | 'delta';
  readonly stored: string;
  /** Of a delta: the text that was appended. */
  readonly delta?: string;
}

/** @param overwrites stored and sent metadata are those of a file of the file-memory tool (row 3) */
export function applyText(old: string, sent: string, overwrites: boolean): Change {
  if (sent === old) return { kind: 'none', stored: old };
  if (overwrites) return { kind: 'replaced', stored: sent };
  if (sent.startsWith(old) && goesOn(old, sent)) return { kind: 'grown', stored: sent };
  if (isTranscript(old) && isTranscript(sent)) return applyTranscript(old, sent);
  if (!isTranscript(old) && !isTranscript(sent) && isEditedText(old, sent)) return { kind: 'replaced', stored: sent };
  return appended(old, sent);
}

function applyTranscript(old: string, sent: string): Change {
  const [before, after] = [turnsOf(old), turnsOf(sent)];
  const firstOther = before.findIndex((turn, i) => !isSame(turn, after[i]));
  const common = firstOther < 0 ? before.length : firstOther;
  if (common * 3 > before.length * 2) return { kind: 'replaced', stored: sent };
  for (let length = Math.min(before.length, after.length); length >= 2; length -= 1) {
    if (!before.slice(-length).every((turn, i) => isSame(turn, after[i]))) continue;
    const next = after[length];
    return next === undefined ? { kind: 'none', stored: old } : appended(old, sent.slice(next.at));
  }
  return appended(old, sent);
}

const isSame = (one: Turn, other: Turn | undefined): boolean =>
  one.speaker === other?.speaker && one.words === other.words;

function isEditedText(old: string, sent: string): boolean {
  const [before, after] = [linesOf(old), linesOf(sent)];
  if (before.length < 3 || before[0] !== after[0]) return false;
  const kept: string[] = [];
  const gone: string[] = [];
  const added: string[] = [];
  let rest = after;
  for (const line of before) {
    const at = rest.indexOf(line);
    if (at < 0) {
      gone.push(line);
      continue;
    }
    kept.push(line);
    added.push(...rest.slice(0, at));
    rest = rest.slice(at + 1);
  }
  added.push(...rest);
  const isOnlyDated = gone.some((line) => added.some((other) => undated(line) === undated(other)));
  return kept.join('').length * 3 >= before.join('').length * 2 && !isOnlyDated;
}

const appended = (old: string, text: string): Change => ({
  kind: 'delta',
  stored: `${old}${old.endsWith('\n') ? '' : '\n'}${text}`,
  delta: text,
});

/** Whether what follows begins with white space, or behind a sentence. */
const goesOn = (old: string, sent: string): boolean => /\s/.test(sent.charAt(old.length)) || /[.\s]$/.test(old);

const undated = (line: string): string => line.replace(/\d+|Monday|Friday/g, '#');
const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');
