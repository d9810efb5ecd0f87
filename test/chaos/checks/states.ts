import { isDeepStrictEqual } from 'node:util';
import type { State } from '../model/expected.ts';

/** A document in an answer. */
export interface Shown {
  readonly content: string | null;
  readonly containerTags: readonly string[];
  readonly metadata: Readonly<Record<string, number>> | null;
}

const LONGEST = 60;

export const shows = (shown: Shown, { content, tags, metadata }: State): boolean =>
  shown.content === content &&
  isDeepStrictEqual([...shown.containerTags].sort(), [...tags].sort()) &&
  isDeepStrictEqual(shown.metadata ?? {}, metadata);

export const describeShown = ({ content, containerTags, metadata }: Shown): string =>
  describeState({ content: content ?? '', tags: containerTags, metadata: metadata ?? {} });

/** Null: the document is absent. */
export function describeState(state: State | null): string {
  if (state === null) return 'absent';
  const { content, tags, metadata } = state;
  const short = content.length > LONGEST ? `${content.slice(0, LONGEST)}… (${content.length})` : content;
  return JSON.stringify({ content: short, tags, metadata });
}
