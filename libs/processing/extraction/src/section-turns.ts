import type { Section, SectionTurn, Steps } from '#platform/kernel';
import { trimSpace } from './characters.ts';
import { type Block, blocksWithin } from './structure.ts';
import { LINES_AT_ONCE } from './turns.ts';

interface NamedTurn {
  readonly start: number;
  /** Null: nobody says what begins here. */
  readonly turn: SectionTurn | null;
}

/** Returns where turns begin and end by the sections of a text, in order. */
export const turnsOf = (sections: readonly Section[]): readonly NamedTurn[] =>
  sections.flatMap(([start, , turn]) => (turn === undefined ? [] : [{ start, turn }]));

/** Cuts `[from, to)` into the turns that begin there, and what is between them into blocks. @param turns in order */
export function* turnBlocks(
  text: string,
  from: number,
  to: number,
  turns: readonly NamedTurn[],
): Steps<readonly Block[]> {
  const blocks: Block[] = [];
  const add = function* (start: number, end: number): Steps<void> {
    for (const block of yield* blocksWithin(text, start, end)) blocks.push(block);
  };
  yield* add(from, turns[0]?.start ?? to);
  for (const [i, { start, turn }] of turns.entries()) {
    const end = turns[i + 1]?.start ?? to;
    if (turn === null) yield* add(start, end);
    else {
      blocks.push({
        ...{ kind: 'turn', start, end: trimSpace(text, start, end) },
        ...{ speaker: turn.speaker, body: turn.words },
      });
    }
    if (i % LINES_AT_ONCE === 0) yield;
  }
  return blocks;
}
