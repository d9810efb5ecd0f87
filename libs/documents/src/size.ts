import type { TextRef } from './events.ts';
import type { Live } from './state.ts';

export const textLength = (text: TextRef): number => ('inline' in text ? text.inline.length : text.length);

/** Bytes of a file, or characters of a text. */
export function contentSize({ content }: Pick<Live, 'content'>): number {
  if ('file' in content) return content.file.bytes;
  return content.parts.reduce((sum, part) => sum + textLength(part), 0);
}
