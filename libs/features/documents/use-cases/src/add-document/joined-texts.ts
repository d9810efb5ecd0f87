import { compareTexts } from '#features/documents';
import type { Metadata } from '#platform/kernel';

/** A text of several, with the metadata that was sent with it. */
export interface SentText {
  readonly content: string;
  readonly metadata: Metadata | null;
}

export interface JoinedTexts {
  /** Takes the place of the stored text. Null: the stored text stays. */
  readonly replaced: string | null;
  /** Follows what is there. Empty: nothing. */
  readonly appended: string;
  /** Where deltas begin in `appended`. */
  readonly borders: readonly number[];
  /** One of the texts takes the place of the stored one, whatever that is. */
  readonly overwrites: boolean;
}

/** The file tool of one client keeps each of its files in a document, and sends it whole. */
export const isToolFile = (metadata: Metadata | null): boolean => metadata?.claude_memory_type === 'file';

/**
 * Compares texts one after the other, each with what the ones before it have made of the stored one.
 * @param stored null: not known
 * @param metadata what the document has
 * @param isRepeatedDelta whether the last write has appended a text; asked until one of them changes something
 */
export async function joinTexts(
  stored: string | null,
  metadata: Metadata | null,
  texts: readonly SentText[],
  isRepeatedDelta: (text: string) => boolean,
): Promise<JoinedTexts> {
  let joined: JoinedTexts = { replaced: null, appended: '', borders: [], overwrites: false };
  let text = stored;
  let details = metadata;
  for (const { content, metadata: sent } of texts) {
    const overwrites = isToolFile(details) && isToolFile(sent);
    details = sent ?? details;
    if (text === null || overwrites) {
      if (text !== content) {
        joined = { replaced: content, appended: '', borders: [], overwrites: overwrites || joined.overwrites };
      }
      text = content;
      continue;
    }
    const isUntouched = joined.replaced === null && joined.appended === '';
    const change = await compareTexts(text, content, {
      isRepeatedDelta: isUntouched && isRepeatedDelta(content),
      overwrites,
    });
    if (change.kind === 'append') {
      const { appended, borders } = joined;
      const border = change.border === null ? [] : [appended.length + change.border];
      joined = { ...joined, appended: appended + change.text, borders: [...borders, ...border] };
      text += change.text;
    } else if (change.kind === 'replace') {
      joined = { ...joined, replaced: change.text, appended: '', borders: [] };
      text = change.text;
    }
  }
  return joined;
}
