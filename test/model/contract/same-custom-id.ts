/**
 * What a text does to the stored one, row by row of the contract's table (§3.3), as simply as it can be said. Row 2, the
 * retry of a delta, is decided by the caller.
 */
export interface Change {
  readonly stored: string;
  /** Only the new part was sent, and it was appended. */
  readonly isDelta: boolean;
}

const SHORT = 200;

/** @param overwrites stored and sent metadata are those of a file of the file-memory tool (row 3) */
export function applyText(old: string, sent: string, overwrites: boolean): Change {
  if (sent === old) return { stored: old, isDelta: false };
  if (overwrites || sent.startsWith(old) || isEditedVersion(old, sent)) return { stored: sent, isDelta: false };
  return { stored: `${old}${old.endsWith('\n') ? '' : '\n'}${sent}`, isDelta: true };
}

function isEditedVersion(old: string, sent: string): boolean {
  const wanted = old.length * (old.length < SHORT ? 0.8 : 0.5);
  return commonEnds(old, sent) >= wanted || equalLines(old, sent) >= wanted;
}

/** Length of the common beginning and the common end, which do not overlap. */
function commonEnds(old: string, sent: string): number {
  const shorter = Math.min(old.length, sent.length);
  let start = 0;
  while (start < shorter && old[start] === sent[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === sent.at(-1 - end)) end += 1;
  return start + end;
}

/** How much of the old text are lines that the sent one has too, each as often as both have it. */
function equalLines(old: string, sent: string): number {
  const left = linesOf(sent).map(withoutEnd);
  let covered = 0;
  for (const line of linesOf(old)) {
    const at = left.indexOf(withoutEnd(line));
    if (at < 0) continue;
    left.splice(at, 1);
    covered += line.length;
  }
  return covered;
}

/** With their line ends, which the last one may lack. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
const withoutEnd = (line: string): string => line.replace('\n', '');
