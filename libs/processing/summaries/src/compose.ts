import { codePoints, shortened } from '#processing/languages';
import type { Candidate } from './candidates.ts';
import { joinedOnLine } from './join.ts';

/** Characters of a summary, as a reader counts them at most: code points. */
const MAX_SUMMARY = 400;
/** Best passages that are tried. Further ones would fill the rest with what happens to be short. */
const TRIED = 12;

/** Whether all passages together are a summary already. */
export function fitsWhole(candidates: readonly Candidate[]): boolean {
  // A character has at most two code units, so most long texts are refused without counting.
  const units = candidates.reduce((sum, { text }) => sum + text.length, 0);
  if (units > 2 * MAX_SUMMARY) return false;
  return codePoints(joined(candidates)) <= MAX_SUMMARY;
}

/**
 * Returns the best candidates that fit into a summary, in the order of the text.
 * @param scores of the candidates, in their order; of equal ones the earlier passage is better. Null: all of them fit
 * @returns null if there are no candidates
 */
export function composeSummary(candidates: readonly Candidate[], scores: readonly number[] | null): string | null {
  return candidates.length === 0 ? null : joined(scores === null ? candidates : best(candidates, scores));
}

function best(candidates: readonly Candidate[], scores: readonly number[]): readonly Candidate[] {
  const ranked = [...candidates.keys()].sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b);
  const chosen: number[] = [];
  let length = 0;
  for (const index of ranked.slice(0, TRIED)) {
    const candidate = candidates[index] as Candidate;
    const own = codePoints(candidate.text) + (chosen.length > 0 ? 1 : 0);
    if (chosen.length === 0 && own > MAX_SUMMARY)
      return [{ ...candidate, text: shortened(candidate.text, MAX_SUMMARY) }];
    if (length + own > MAX_SUMMARY) continue;
    length += own;
    chosen.push(index);
  }
  return chosen.sort((a, b) => a - b).map((index) => candidates[index] as Candidate);
}

/** Turns and records begin a line, and so does what follows them. */
function joined(candidates: readonly Candidate[]): string {
  const lines: string[][] = [];
  let wasLine = true;
  for (const { text, isLine } of candidates) {
    if (isLine || wasLine) lines.push([text]);
    else lines.at(-1)?.push(text);
    wasLine = isLine;
  }
  return lines.map(joinedOnLine).join('\n');
}
