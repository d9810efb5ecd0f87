import { type ContentExtracted, type DocumentTexts, decideExtracted, type Live, piecesFormed } from '#documents';
import { detectKind, type ExtractedDocument, extractDocument, isUrl, type Source } from '#extraction';
import { ok } from '#kernel';
import { formPieces } from './pieces.ts';
import { type Outcome, RECORDED, type Stage } from './stage.ts';

/** Texts up to this long are read in place: a change of thread would cost more than the work. UTF-16 code units. */
const INLINE_CHARACTERS = 32_000;

/** Reads the text of a document. A short text is cut into chunks and memories in the same append. */
export const extract: Stage = {
  name: 'extract',
  after: null,
  status: 'extracting',
  runs: 'process',
  leadsTo: 'done',
  needs: null,
  concurrency: { total: 64, perTag: 32, bytes: 256 * 1024 * 1024 },
  async run(work, { texts, textWorker }) {
    const document = await work.document();
    if (document === null) return RECORDED;
    const { contentVersion } = document;
    const readable = await sourceOf(document, texts);
    if ('kind' in readable) return readable;
    const { source, type } = readable;
    if (typeof source.body === 'string' && source.body.length <= INLINE_CHARACTERS && !isMarkup(source)) {
      const extracted = await extractDocument(source);
      const payload = await storeText(texts, document, source, extracted, type);
      const pieces = await formPieces(texts, document, extracted);
      await work.record((state) => {
        const decided = decideExtracted(state, contentVersion, payload, sizesOf(extracted));
        return decided.ok ? ok([...decided.value, ...piecesFormed(contentVersion, pieces)]) : decided;
      });
      return RECORDED;
    }
    if ((await work.start()) === null) return RECORDED;
    const extracted = await textWorker.extract(source);
    const payload = await storeText(texts, document, source, extracted, type);
    await work.record((state) => decideExtracted(state, contentVersion, payload, sizesOf(extracted)));
    return RECORDED;
  },
};

interface Readable {
  readonly source: Source;
  /** Document type of the contract. */
  readonly type: string;
}

const unsupported = (message: string, type: string): Outcome => ({
  kind: 'failed',
  reason: { code: 'unsupported_type', message, type },
});

async function sourceOf(document: Live, texts: DocumentTexts): Promise<Readable | Outcome> {
  const { documentDate, content } = document;
  if ('file' in content) {
    const { blob, name, contentType, fileType, mimeType } = content.file;
    const bytes = await texts.bytes(blob);
    const detected = await detectKind({ bytes, fileName: name, contentType, fileType, mimeType });
    if (!('kind' in detected)) return unsupported(detected.unsupported, detected.type);
    return { source: { body: bytes, kind: detected.kind, fileName: name, documentDate }, type: detected.type };
  }
  const body = (await texts.content(document)) ?? '';
  if (isUrl(body)) return unsupported('Pages behind a URL are not fetched yet', document.type);
  return { source: { body, kind: 'text', fileName: null, documentDate }, type: 'text' };
}

async function storeText(
  texts: DocumentTexts,
  { organization, id }: Live,
  source: Source,
  { text, title, summary }: ExtractedDocument,
  type: string,
): Promise<ContentExtracted['payload']> {
  const stored = text === source.body ? null : await texts.store(organization, id, text);
  return { text: stored, title, summary, type };
}

/** Markup is read by a foreign parser, which is kept away from the threads that answer requests. */
const isMarkup = ({ body }: Source): boolean => typeof body === 'string' && /^\s*</.test(body);

const sizesOf = ({ text }: ExtractedDocument): { readonly characters: number } => ({ characters: text.length });
