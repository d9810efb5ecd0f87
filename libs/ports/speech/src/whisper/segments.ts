import type { Part } from '../parts.ts';
import { SAMPLE_RATE, type Segment } from '../port.ts';
import { TIME_STEP, type Tokens } from './tokens.ts';

/** A part that is cut is heard again from its last complete passage on, unless that is its beginning. Samples. */
const LEAST_STEP = SAMPLE_RATE;
/** So is a part in which the model runs in a circle, but not so often. Samples. */
const LEAST_STEP_OF_LOOP = 10 * SAMPLE_RATE;

interface PartTranscript {
  readonly segments: readonly Segment[];
  /** Where the next part begins. Sample of the recording. */
  readonly next: number;
}

/**
 * Returns the passages of a part, and where the next one begins: behind it, or behind its last complete passage if it is cut.
 * What is not heard again is said here, however it ends.
 */
export function heardIn(
  { tokens: said, isLoop }: { readonly tokens: readonly number[]; readonly isLoop: boolean },
  tokens: Tokens,
  part: Part,
): PartTranscript {
  const isCut = part.isCut || isLoop;
  const { segments, complete } = segmentsOf(said, tokens, { ...part, isCut });
  if (isCut && complete >= (isLoop ? LEAST_STEP_OF_LOOP : LEAST_STEP)) {
    return { segments, next: part.start + complete };
  }
  const whole = segmentsOf(said, tokens, { ...part, isCut: false });
  return { segments: whole.segments, next: part.start + part.samples.length };
}

interface PartSegments {
  readonly segments: readonly Segment[];
  /** Samples of the part that complete passages cover: what follows is heard again in the next part, if this one is cut. */
  readonly complete: number;
}

/** Returns the passages between the times of a part, each with its place in the recording. */
export function segmentsOf(said: readonly number[], { firstTime, textOf }: Tokens, part: Part): PartSegments {
  const length = part.samples.length / SAMPLE_RATE;
  const offset = part.start / SAMPLE_RATE;
  const secondsOf = (token: number) => Math.min((token - firstTime) * TIME_STEP, length);
  const segments: Segment[] = [];
  let start = 0;
  let words: number[] = [];
  let complete = 0;
  const add = (end: number) => {
    const text = textOf(words).trim();
    words = [];
    // Signs alone, such as "...", were not said.
    if (/[\p{L}\p{N}]/u.test(text)) segments.push({ startSeconds: offset + start, endSeconds: offset + end, text });
  };
  for (const token of said) {
    if (token < firstTime) {
      words.push(token);
      continue;
    }
    const time = secondsOf(token);
    if (words.length > 0) {
      add(time);
      complete = time;
    }
    start = time;
  }
  const isOpen = words.length > 0;
  // Without an end: the part was cut within a passage, which the next part repeats if it can.
  if (isOpen && (!part.isCut || complete === 0)) add(length);
  const [last, before] = [said.at(-1), said.at(-2)];
  // One time at the end: nothing is said after it.
  const isWhole = !isOpen && last !== undefined && (before === undefined || before < firstTime);
  return { segments, complete: Math.floor((isWhole || complete === 0 ? length : complete) * SAMPLE_RATE) };
}
