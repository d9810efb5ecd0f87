import { atOnce, type Section, type Steps } from '#platform/kernel';
import { skipSpace, trimSpace } from './characters.ts';
import { frontMatterFrame } from './front-matter/frame.ts';
import { type MarkedPart, markedParts } from './marked-text.ts';
import type { Passage } from './port.ts';
import { turnBlocks, turnsOf } from './section-turns.ts';
import { type Block, blocksWithin } from './structure.ts';
import { LINES_AT_ONCE } from './turns.ts';

/** A part of a text that is cut by itself: no passage reaches beyond it. */
export interface TextPart extends Passage {
  /** Where its markers begin: behind the part before it. */
  readonly from: number;
  /** In the order of the text; never empty. */
  readonly blocks: readonly Block[];
  /** ISO 8601, as the markers around it say. Null: they do not. */
  readonly date: string | null;
}

/**
 * Cuts a text with `\n` line ends into its marked parts, and these into blocks. A text without words has none. Linear.
 * @param borders where texts begin that were added one by one, in order: each is read by itself
 * @param sections of the text; the turns that they name are not searched for
 */
export const parseParts = (
  text: string,
  borders: readonly number[] = [],
  sections: readonly Section[] = [],
): readonly TextPart[] => atOnce(partsOf(text, borders, sections));

/** As `parseParts`, in steps. */
export function* partsOf(
  text: string,
  borders: readonly number[] = [],
  sections: readonly Section[] = [],
): Steps<readonly TextPart[]> {
  const parts: TextPart[] = [];
  const starts = [0, ...borders];
  const turns = turnsOf(sections);
  let nextTurn = 0;
  for (const [i, at] of starts.entries()) {
    const end = starts[i + 1] ?? text.length;
    const firstTurn = nextTurn;
    while (nextTurn < turns.length && (turns[nextTurn]?.start as number) < end) nextTurn++;
    const named = turns.slice(firstTurn, nextTurn);
    if (named.some(({ turn }) => turn !== null)) {
      const blocks = yield* turnBlocks(text, at, end, named);
      if (blocks.length > 0) parts.push({ from: at, start: at, end, blocks, date: null });
    } else {
      const piece = at === 0 && end === text.length ? text : text.slice(at, end);
      for (const { speaker, isFrontMatter, ...part } of yield* partsOfOne(piece)) {
        const [from, start, last] = [part.from + at, part.start + at, part.end + at];
        const kind = isFrontMatter ? 'frontMatter' : speaker === null ? null : 'turn';
        const blocks: readonly Block[] =
          kind === null ? yield* blocksWithin(text, start, last) : [{ kind, start, end: last, speaker, body: start }];
        if (blocks.length > 0) parts.push({ ...part, ...{ from, start, end: last, blocks } });
      }
    }
    if (i % LINES_AT_ONCE === 0) yield;
  }
  return parts;
}

interface CutPart extends MarkedPart {
  readonly isFrontMatter?: true;
}

/** Of a text that was added at once: its front matter, and the marked parts behind it. */
function* partsOfOne(text: string): Steps<readonly CutPart[]> {
  const frame = frontMatterFrame(text);
  if (frame === null) return yield* markedParts(text);
  const start = skipSpace(text, frame.start, frame.end);
  const frontMatter: CutPart = {
    ...{ from: 0, start, end: trimSpace(text, start, frame.end), speaker: null, date: null, isFrontMatter: true },
  };
  return [frontMatter, ...movedBy(frame.behind, yield* markedParts(text.slice(frame.behind)))];
}

const movedBy = (distance: number, parts: readonly CutPart[]): readonly CutPart[] =>
  parts.map(({ from, start, end, ...part }) => ({
    ...{ ...part, from: from + distance, start: start + distance, end: end + distance },
  }));
