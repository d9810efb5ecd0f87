import { type ContentExtracted, type DocumentTexts, decideExtracted, type Live } from '#documents';
import { type ExtractedDocument, extractDocument, type Source } from '#extraction';
import { formPieces } from './pieces.ts';
import { RECORDED, type Stage } from './stage.ts';

/** Reads the text of a document. A short text is cut into chunks and memories in the same append. */
export const extract: Stage = {
  name: 'extract',
  after: null,
  status: 'extracting',
  runs: 'process',
  leadsTo: 'done',
  needs: null,
  concurrency: { total: 64, perTag: 32, bytes: 256 * 1024 * 1024 },
  async run(work, tools) {
    const { texts, textJobs } = tools;
    const document = await work.document();
    if (document === null) return RECORDED;
    const { contentVersion } = document;
    const source = await textJobs.sourceOf(document);
    if ('refused' in source) return { kind: 'failed', reason: source.refused };
    if ('inline' in source) {
      const extracted = await extractDocument(source.inline, await tools.chunkTokens(document.organization));
      const payload = await storeText(texts, document, source.inline, extracted);
      const pieces = await formPieces(tools, document, extracted.text, extracted);
      const sizes = { characters: extracted.text.length };
      await work.record((state) => decideExtracted(state, contentVersion, payload, sizes, pieces));
      return RECORDED;
    }
    if ((await work.start()) === null) return RECORDED;
    const extracted = await textJobs.extract(document, source.job);
    if ('refused' in extracted) return { kind: 'failed', reason: extracted.refused };
    const { payload, characters } = extracted;
    await work.record((state) => decideExtracted(state, contentVersion, payload, { characters }));
    return RECORDED;
  },
};

async function storeText(
  texts: DocumentTexts,
  { organization, id }: Live,
  source: Source,
  { text, title, summary }: ExtractedDocument,
): Promise<ContentExtracted['payload']> {
  const stored = text === source.body ? null : await texts.store(organization, id, text);
  return { text: stored, title, summary, type: 'text' };
}
