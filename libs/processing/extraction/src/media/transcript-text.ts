import type { Segment } from '#ports/speech';
import { timedText } from '../timed-text.ts';

/** Writes what was said as paragraphs, with the second at which each passage begins. */
export const transcriptText = (segments: readonly Segment[]) => timedText(segments, { sentenceEnd: /[.?!。？！]$/ });
