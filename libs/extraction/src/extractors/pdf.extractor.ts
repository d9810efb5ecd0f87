import { damaged, ExtractionError, encrypted } from '../failures.ts';
import { pageText } from '../pdf/page-text.ts';
import { loadParser } from '../pdf/parser.ts';
import { SectionedText } from '../sectioned-text.ts';
import type { FileExtractor, Readable } from './extractor.ts';

const MIB = 1024 * 1024;
const KIND = 'a PDF';
/** Bytes before the mark of a PDF that readers accept. */
const MARK_WITHIN = 1024;

/** The text of a PDF in reading order, page by page. */
export const pdf: FileExtractor = {
  kind: 'pdf',
  type: 'pdf',
  reads: 'bytes',
  limits: { ms: 120_000, outputBytes: 256 * MIB },
  extensions: ['pdf'],
  mediaTypes: ['application/pdf', 'application/x-pdf'],
  fileTypes: ['pdf'],
  detects: (bytes) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MARK_WITHIN)).includes('%PDF-'),
  async toText(bytes) {
    const { getDocument, VerbosityLevel, folder } = await loadParser();
    const loading = getDocument({
      // The parser takes the buffer as its own.
      data: new Uint8Array(bytes),
      cMapUrl: `${folder}cmaps/`,
      cMapPacked: true,
      standardFontDataUrl: `${folder}standard_fonts/`,
      disableFontFace: true,
      isEvalSupported: false,
      useSystemFonts: false,
      enableXfa: false,
      stopAtErrors: false,
      verbosity: VerbosityLevel.ERRORS,
    });
    try {
      return await read(await loading.promise);
    } catch (error) {
      throw translated(error);
    } finally {
      await loading.destroy();
    }
  },
};

type Pdf = Awaited<ReturnType<Awaited<ReturnType<typeof loadParser>>['getDocument']>['promise']>;

async function read(document: Pdf): Promise<Readable> {
  const text = new SectionedText();
  let textless = 0;
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const { width } = page.getViewport({ scale: 1 });
    text.section({ page: number });
    const paragraphs = pageText(items, width);
    for (const paragraph of paragraphs) text.add(paragraph);
    if (paragraphs.length === 0) textless += 1;
    page.cleanup();
  }
  const { text: whole, sections } = text.result;
  if (whole === '' && textless > 0) throw new ExtractionError(NO_TEXT);
  const { info } = (await document.getMetadata().catch(() => ({ info: {} }))) as { info: Record<string, unknown> };
  const word = (name: string) => (typeof info[name] === 'string' ? (info[name] as string) : null);
  return {
    ...{ text: whole, sections, title: word('Title'), author: word('Author'), language: word('Language') },
    date: dateOf(word('CreationDate')),
  };
}

const NO_TEXT =
  'No page of the PDF holds text: its pages are pictures. Make a PDF with a text layer of it, by optical character recognition, and upload that.';

function translated(error: unknown): ExtractionError {
  if (error instanceof ExtractionError) return error;
  return (error as Error).name === 'PasswordException' ? encrypted() : damaged(KIND, error);
}

/** `D:20240501120000+02'00'` */
function dateOf(date: string | null): string | null {
  const match = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(?:(\d\d)(\d\d)(\d\d)?)?(?:([+-])(\d\d)'?(\d\d)?|Z)?/.exec(date ?? '');
  if (match === null) return null;
  const [, year, month = '01', day = '01', hour, minute, second = '00', sign, zoneHours, zoneMinutes = '00'] = match;
  if (hour === undefined) return `${year}-${month}-${day}`;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${sign === undefined ? 'Z' : `${sign}${zoneHours}:${zoneMinutes}`}`;
}
