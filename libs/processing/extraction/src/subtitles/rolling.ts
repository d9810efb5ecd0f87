/** From this share of cues that repeat words of the one before, the captions are rolling. */
const ROLLING = 1 / 3;
/** Words that are compared: what is on the screen. */
const SHOWN = 60;
/** Fewer words are repeated by chance, unless they are a line. */
const LEAST = 3;

/**
 * Captions of programs roll: each cue repeats lines of the one before, or all of it and one more word. Returns the words of the
 * cues that are new. Null: the captions do not roll, and what is said twice is written twice.
 */
export function withoutRepeats(cues: readonly string[]): readonly string[] | null {
  const shown = cues.map(shownBy);
  const filled = shown.filter(({ words }) => words.length > 0);
  const rolling = filled.filter((cue, i) => i > 0 && repeated(filled[i - 1] as Shown, cue) > 0).length;
  if (filled.length < 2 || rolling < (filled.length - 1) * ROLLING) return null;
  let before: Shown = { words: [], lastLine: 0 };
  return shown.map((cue) => {
    const fresh = cue.words.slice(repeated(before, cue)).join(' ');
    if (cue.words.length > 0) before = cue;
    return fresh;
  });
}

interface Shown {
  readonly words: readonly string[];
  /** Number of words in the last line. */
  readonly lastLine: number;
}

function shownBy(cue: string): Shown {
  const lines = cue.split('\n').map((line) => line.split(/\s+/).filter((word) => word !== ''));
  return { words: lines.flat(), lastLine: lines.findLast(({ length }) => length > 0)?.length ?? 0 };
}

/** Returns how many words at the beginning of a cue end the one before. */
function repeated(before: Shown, { words }: Shown): number {
  const ended = before.words.slice(-SHOWN);
  const least = Math.min(LEAST, before.lastLine);
  for (let count = Math.min(ended.length, words.length); count >= least && count > 0; count--) {
    const from = ended.length - count;
    if (words.slice(0, count).every((word, i) => word === ended[from + i])) return count;
  }
  return 0;
}
