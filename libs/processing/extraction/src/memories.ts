import { endsBefore } from './boundaries.ts';
import { CHUNK_TOKENS } from './chunk.ts';
import { parseParts } from './parts.ts';
import type { MemoryPassage, Passage } from './port.ts';
import { sentencesWithin } from './sentences.ts';
import type { Block } from './structure.ts';
import { WEIGHT_OF_TOKEN, weigh } from './tokens.ts';

/** Maximum size of a memory, but for front matter, in estimated tokens, including the heading before it. */
export const MEMORY_TOKENS = 160;
const LIMIT = MEMORY_TOKENS * WEIGHT_OF_TOKEN;
/** A turn up to this size is one memory; a longer one is cut into groups of sentences of this size. */
const TURN = 120 * WEIGHT_OF_TOKEN;

interface GroupSize {
  /** Quarter tokens. */
  readonly weight: number;
  readonly sentences: number;
}

/** Maximum size of the first group of sentences in a block, and of the others, which end earlier at anchors. */
interface GroupSizes {
  readonly first: GroupSize;
  readonly others: GroupSize;
}

/** About 60 tokens and three sentences on average; a longer sentence stays whole up to the size of a turn. */
const PROSE: GroupSizes = {
  first: { weight: 60 * WEIGHT_OF_TOKEN, sentences: 3 },
  others: { weight: 90 * WEIGHT_OF_TOKEN, sentences: 5 },
};
const CODE: GroupSizes = {
  first: { ...PROSE.first, sentences: Number.POSITIVE_INFINITY },
  others: { ...PROSE.others, sentences: Number.POSITIVE_INFINITY },
};
const SPEECH_SIZE: GroupSize = { weight: TURN, sentences: Number.POSITIVE_INFINITY };
const SPEECH: GroupSizes = { first: SPEECH_SIZE, others: SPEECH_SIZE };
/** Front matter up to this size is one memory. */
const FRONT_MATTER = CHUNK_TOKENS * WEIGHT_OF_TOKEN;
/** A text up to this size is one memory. */
const SHORT = 30 * WEIGHT_OF_TOKEN;

/**
 * Forms memories by rule: one per turn of a transcript (including the speaker's name), or groups of sentences within a
 * paragraph. A heading belongs to the text that follows it. Memories cover everything but white space, in order,
 * without overlap.
 */
export function formMemories(text: string): MemoryPassage[] {
  return parseParts(text).flatMap(({ blocks }) => memoriesOfBlocks(text, blocks, []));
}

/** @param breaks where pages and sheets begin: neither a short text nor a heading joins what is on both sides */
export function memoriesOfBlocks(text: string, blocks: readonly Block[], breaks: readonly number[]): MemoryPassage[] {
  const first = blocks[0];
  const last = blocks.at(-1);
  if (first === undefined || last === undefined) return [];
  // Each turn and each record (a line of CSV or JSON) is a memory, however short; the name of a sheet is above its records.
  const body = blocks.find(({ kind }) => kind !== 'heading');
  const apart =
    blocks.some((block) => block.kind === 'turn') ||
    (body !== undefined && body !== last && text.startsWith('- ', body.start)) ||
    breaks.some((start) => start > first.start);
  if (!apart && fits(text, first.start, last.end, SHORT)) {
    return [{ start: first.start, end: last.end, speaker: null }];
  }

  const memories: MemoryPassage[] = [];
  /** One or more headings whose text has not been reached. */
  let heading: Passage | null = null;
  const flush = (): void => {
    if (heading !== null) memories.push({ start: heading.start, end: heading.end, speaker: null });
    heading = null;
  };

  let nextBreak = 0;
  for (const block of blocks) {
    const breaksBefore = nextBreak;
    while (nextBreak < breaks.length && (breaks[nextBreak] as number) <= block.start) nextBreak++;
    const isBroken = nextBreak !== breaksBefore;
    if (isBroken) flush();
    if (block.kind === 'heading' || block.kind === 'divider') {
      const before: MemoryPassage | undefined = memories.at(-1);
      if (heading !== null && fits(text, heading.start, block.end, TURN)) {
        heading = { start: heading.start, end: block.end };
      } else if (
        block.kind === 'divider' &&
        heading === null &&
        !isBroken &&
        before &&
        fits(text, before.start, block.end, LIMIT)
      ) {
        memories[memories.length - 1] = { ...before, end: block.end };
      } else {
        flush();
        heading = block;
      }
      continue;
    }
    for (const passage of passagesOf(text, block)) {
      if (heading !== null && fits(text, heading.start, passage.end, LIMIT)) {
        memories.push({ start: heading.start, end: passage.end, speaker: block.speaker });
        heading = null;
      } else {
        flush();
        memories.push({ start: passage.start, end: passage.end, speaker: block.speaker });
      }
    }
  }
  flush();
  return memories;
}

/** Returns the sentences of which memories are made, in order: of a part of a text the same as of the whole. */
export const sentencesOf = (text: string): readonly Passage[] => sentencesWithin(text, 0, text.length, TURN);

/** Returns whether the range weighs at most `limit` quarter tokens. A code unit weighs at least one. */
function fits(text: string, start: number, end: number, limit: number): boolean {
  return end - start <= limit && weigh(text, start, end) <= limit;
}

function passagesOf(text: string, block: Block): readonly Passage[] {
  if (block.kind === 'frontMatter' && fits(text, block.start, block.end, FRONT_MATTER)) return [block];
  if (block.kind === 'turn' && fits(text, block.start, block.end, TURN)) return [block];
  const sentences = sentencesWithin(text, block.start, block.end, TURN);
  return groups(text, sentences, block.kind === 'turn' ? SPEECH : block.kind === 'code' ? CODE : PROSE);
}

function groups(text: string, sentences: readonly Passage[], { first, others }: GroupSizes): Passage[] {
  const passages: Passage[] = [];
  let open: { start: number; end: number; sentences: number } | null = null;
  for (const sentence of sentences) {
    const size = passages.length === 1 ? first : others;
    const hasRoom =
      open !== null && open.sentences < size.sentences && fits(text, open.start, sentence.end, size.weight);
    if (open !== null && hasRoom && (size === first || !endsAt(text, open, sentence, size))) {
      open.end = sentence.end;
      open.sentences++;
    } else {
      open = { start: sentence.start, end: sentence.end, sentences: 1 };
      passages.push(open);
    }
  }
  return passages;
}

function endsAt(text: string, open: Passage & { readonly sentences: number }, next: Passage, size: GroupSize): boolean {
  const shareOf = ({ start, end }: Passage, sentences: number): number =>
    Math.max(weigh(text, start, end) / size.weight, sentences / size.sentences);
  return endsBefore('memory', text, next, shareOf(open, open.sentences), shareOf(next, 1));
}
