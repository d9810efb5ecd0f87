import type { ContentInput, DocumentEvent } from './events.ts';
import type { Live } from './state.ts';

/**
 * Makes a new version of the content.
 * @param keepsFile for a text that takes the place of what was read from the file or page
 */
export function replaceContent(
  { content: before, contentVersion: version }: Live,
  content: ContentInput,
  keepsFile: boolean,
): readonly DocumentEvent[] {
  const contentVersion = version + 1;
  const isRead = 'file' in before || 'page' in before;
  if (isRead && keepsFile) return [{ type: 'ContentReplaced', contentVersion, payload: { content, keepsFile } }];
  if (!('file' in before)) return [{ type: 'ContentReplaced', contentVersion, payload: { content } }];
  const { blob } = before.file;
  return [
    { type: 'ContentReplaced', contentVersion, payload: { content } },
    { type: 'FileRemoved', contentVersion, payload: { blob } },
  ];
}

/** Returns the blob of the file that the events remove, or null. It is erased after they are recorded. */
export function removedFile(events: readonly DocumentEvent[]): string | null {
  return events.find((event) => event.type === 'FileRemoved')?.payload.blob ?? null;
}
