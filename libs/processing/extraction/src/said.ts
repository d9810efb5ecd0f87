import type { Steps } from '#platform/kernel';
import { partsOf } from './parts.ts';

/** A turn of a transcript, or a paragraph between turns. */
export interface Said {
  /** Null: it is no turn. */
  readonly speaker: string | null;
  readonly words: string;
  /** Behind what is said before it: numbers, times and headers that belong to it begin here. */
  readonly from: number;
}

/** Returns what a text says, in its order, without headings, numbers and times. Null: it is no transcript. Linear. */
export function* saidIn(text: string): Steps<readonly Said[] | null> {
  const said: Said[] = [];
  let isTranscript = false;
  for (const { from, blocks } of yield* partsOf(text)) {
    let behind = from;
    for (const { kind, speaker, body, end } of blocks) {
      if (kind === 'heading' || kind === 'divider') continue;
      said.push({ speaker, words: text.slice(body, end).trim(), from: behind });
      isTranscript ||= speaker !== null;
      behind = end;
    }
  }
  return isTranscript ? said : null;
}
