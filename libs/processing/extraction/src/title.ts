import { clip } from './characters.ts';
import { splitSentences } from './sentences.ts';
import type { Block } from './structure.ts';

const TITLE_LETTERS = 100;
/** A heading after this many blocks names a section, not the document. */
const BLOCKS_BEFORE_TITLE = 4;
/** Maximum length of a block that is considered for the title. UTF-16 code units. */
const LOOK_AHEAD = 2000;

/** Returns the first heading, else the first sentence, at most 100 characters and without Markdown marks. */
export function titleOf(text: string, blocks: readonly Block[]): string | null {
  const heading = blocks
    .slice(0, BLOCKS_BEFORE_TITLE)
    .find((block) => block.kind === 'heading' || block.kind === 'turn');
  if (heading?.kind === 'heading') {
    const line = text.slice(heading.start, heading.end).split('\n', 1)[0] ?? '';
    return plain(line.replace(/^#{1,6}\s+/, '').replace(/\s+#+$/, ''), TITLE_LETTERS);
  }
  const first = blocks.find((block) => block.kind !== 'divider') ?? blocks[0];
  if (first === undefined) return null;
  const sentence = splitSentences(text, first.body, Math.min(first.end, first.body + LOOK_AHEAD))[0];
  return sentence === undefined ? null : plain(text.slice(sentence.start, sentence.end), TITLE_LETTERS);
}

function plain(text: string, limit: number): string | null {
  const words = clip(
    text
      .slice(0, LOOK_AHEAD)
      .replace(/\*\*|__|`/g, '')
      .replace(/^(?:[-*+•>]|\d{1,3}[.)])\s+/, ''),
    limit,
  );
  return words === '' ? null : words;
}
