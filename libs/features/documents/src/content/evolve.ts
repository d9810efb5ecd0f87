import { urlIn } from '#platform/kernel';
import type { ContentAppended, ContentInput, ContentReplaced, TextRef } from '../events.ts';
import type { Content, FormerPage, Live } from '../state.ts';

/** What is known of a content from reading it. */
export const UNKNOWN = {
  contentDate: null,
  language: null,
  author: null,
  canonicalUrl: null,
  encoding: null,
  frontMatter: null,
  sections: null,
  reader: 0,
} as const;

/** Of what nothing was fetched, recorded by a stage or sent in messages yet. */
export const UNREAD = {
  ...UNKNOWN,
  fetched: null,
  formerPage: null,
  failedFetches: 0,
  retry: null,
  borders: [],
  waiting: [],
  unitKey: null,
  conversation: null,
  title: null,
  summary: null,
  deltas: null,
} as const;

/** What a caller sent, as the state holds it. */
export const contentOf = (content: ContentInput): Content => ('text' in content ? { parts: [content.text] } : content);

/** Null: the content is no page. */
export const urlOf = (content: Content): string | null => ('page' in content ? urlIn(content.page) : null);

/** The text goes behind what there is: the parts so far, or what was read from the file or page. */
export function contentWith({ content, extracted }: Live, text: TextRef): Content {
  if ('parts' in content) return { ...content, parts: [...content.parts, text] };
  const isRead = extracted !== null && extracted !== 'content';
  return { ...content, isRead, parts: isRead ? [extracted, text] : [text] };
}

/** The borders of the content when a text follows. */
export function bordersWith(
  { borders, content, extracted }: Live,
  { borders: added = [] }: ContentAppended['payload'],
) {
  if (added.length === 0) return borders;
  const parts = 'parts' in content ? content.parts : extracted === null || extracted === 'content' ? [] : [extracted];
  const before = parts.reduce((sum, part) => sum + ('inline' in part ? part.inline.length : part.length), 0);
  return [...borders, ...added.map((border) => before + border)];
}

/** What a replacement of the content changes in the state. */
export function replaced(
  before: Live,
  { content, keepsFile }: ContentReplaced['payload'],
): Pick<Live, 'content' | 'borders' | 'waiting' | 'url' | 'formerPage'> & Partial<Pick<Live, keyof typeof UNKNOWN>> {
  const { content: stored, waiting, url } = before;
  if (!keepsFile || !('file' in stored || 'page' in stored) || !('text' in content)) {
    const next = contentOf(content);
    const formerPage = url === urlOf(next) ? formerPageOf(before) : null;
    return {
      ...(formerPage === null && UNKNOWN),
      content: next,
      borders: [],
      waiting: [],
      url: urlOf(next),
      formerPage,
    };
  }
  // Where the file or page cannot be read, the first of the waiting texts takes its place.
  const next = { ...stored, parts: [content.text], isRead: false };
  return {
    sections: null,
    encoding: null,
    frontMatter: null,
    content: next,
    borders: [],
    waiting: waiting.slice(1),
    url,
    formerPage: null,
  };
}

/** Null: the document is not done, or is not a page alone. */
function formerPageOf(before: Live): FormerPage | null {
  const { content, stage, extracted, chunks, memories, vectorSpace, secondSpace, isSummarized } = before;
  if (!('page' in content) || 'parts' in content || stage !== 'done' || extracted === 'content') return null;
  return { extracted, chunks, memories, vectorSpace, secondSpace, isSummarized };
}
