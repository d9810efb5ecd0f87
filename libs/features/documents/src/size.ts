import type { TextRef } from './events.ts';
import type { Live } from './state.ts';

/** No UTF-16 code unit takes more bytes of UTF-8. */
export const MOST_BYTES = 3;

export const textLength = (text: TextRef): number => ('inline' in text ? text.inline.length : text.length);

/** Characters of the text that passages are ranges of. 0: not extracted yet. */
export function extractedLength({ extracted, content }: Pick<Live, 'extracted' | 'content'>): number {
  if (extracted === null) return 0;
  if (extracted !== 'content') return textLength(extracted);
  return 'parts' in content ? contentSize({ content }) : 0;
}

/** Bytes of a file, or characters of a text. */
export function contentSize({ content }: Pick<Live, 'content'>): number {
  if (!('parts' in content)) return 'page' in content ? content.page.length : content.file.bytes;
  return content.parts.reduce((sum, part) => sum + textLength(part), 0);
}
