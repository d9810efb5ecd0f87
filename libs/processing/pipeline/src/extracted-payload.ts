import type { ContentExtracted, DocumentTexts, Live, TextRef } from '#features/documents';
import type { Section } from '#platform/kernel';
import { EXTRACTION_VERSION, type ExtractedContent } from '#processing/extraction';

type ExtractedSource = Omit<ExtractedContent, 'text'> & { readonly text: TextRef | null; readonly type: string };

/** Returns what is recorded of an extracted text; what is not known is absent. */
export async function extractedPayload(
  document: Live,
  found: ExtractedSource,
  texts: DocumentTexts,
): Promise<ContentExtracted['payload']> {
  const { text, sections, borders } = found;
  const { organization, id, content } = document;
  // A text was added to what was read from a file or page: what that says about itself stays.
  const isOfFile = 'parts' in content && 'isRead' in content;
  const title = (isOfFile ? document.title : null) ?? found.title;
  const type = isOfFile && content.isRead ? document.type : found.type;
  const author = found.author ?? (isOfFile ? document.author : null);
  const canonicalUrl = found.canonicalUrl ?? (isOfFile ? document.canonicalUrl : null);
  const { encoding, frontMatter } = isOfFile && content.isRead ? document : found;
  const date = found.date ?? (isOfFile ? document.contentDate : null);
  const stored =
    isOfFile && content.isRead
      ? document.sections
      : sections.length > 0
        ? await texts.storeList<Section>(organization, id, sections)
        : null;
  return {
    ...{ text, title, type, reader: EXTRACTION_VERSION },
    ...(found.language !== null && { language: found.language }),
    ...(author !== null && { author }),
    ...(canonicalUrl !== null && { canonicalUrl }),
    ...(encoding !== null && { encoding }),
    ...(frontMatter !== null && { frontMatter }),
    ...(date !== null && { date }),
    ...(stored && { sections: stored }),
    ...(borders.length > 0 && { borders: await texts.storeList<number>(organization, id, borders) }),
  };
}
