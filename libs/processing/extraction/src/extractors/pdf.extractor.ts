import { damagedFileError, ExtractionError, encryptedFileError } from '../failures.ts';
import type { PictureTexts } from '../ocr/picture-texts.ts';
import { drawnPage, mayShowText } from '../pdf/drawn-page.ts';
import { Fonts } from '../pdf/fonts.ts';
import { formValues } from '../pdf/form-values.ts';
import { type PageMeasures, pageText } from '../pdf/page-text.ts';
import { type Operations, openPdf, type Pdf, type PdfPage } from '../pdf/parser.ts';
import { piecesOf } from '../pdf/pieces.ts';
import { SectionedText } from '../sectioned-text.ts';
import type { FileExtractor, ReadableText } from './extractor.ts';

const MIB = 1024 * 1024;
const KIND = 'a PDF';
/** Fewer letters may be a number or a stamp on a picture of a page. */
const FEW_LETTERS = 100;
/** Bytes before the mark of a PDF that readers accept. */
const MARK_WITHIN = 1024;

/** The text of a PDF in reading order, page by page. Pages without text are drawn and read as pictures. */
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
  async toText(bytes, { pictures }) {
    const { document, operations, close } = await openPdf(bytes, { isForText: true });
    const drawn = new DrawnPages(bytes);
    try {
      return await read(await document, operations, drawn, pictures);
    } catch (error) {
      throw translated(error);
    } finally {
      await Promise.all([close(), drawn.close()]);
    }
  },
  async *pictures(bytes, names) {
    const { document, close } = await openPdf(bytes);
    try {
      const pdf = await document;
      for (const name of names) {
        const page = await pdf.getPage(Number(name));
        // The other pages may hold text.
        yield await drawnPage(page).catch(() => null);
        page.cleanup();
      }
    } catch (error) {
      throw translated(error);
    } finally {
      await close();
    }
  },
};

/** The pages of a file with their pictures, which take time; opened when the first one is looked at. */
class DrawnPages {
  readonly #bytes: Uint8Array;
  #opened: ReturnType<typeof openPdf> | null = null;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  async mayShowText(number: number): Promise<boolean> {
    this.#opened ??= openPdf(this.#bytes);
    const { document, operations } = await this.#opened;
    const page = await (await document).getPage(number);
    const result = await mayShowText(page, operations);
    page.cleanup();
    return result;
  }

  async close(): Promise<void> {
    await (await this.#opened)?.close();
  }
}

async function read(
  document: Pdf,
  operations: Operations,
  drawn: DrawnPages,
  pictures: PictureTexts,
): Promise<ReadableText> {
  const text = new SectionedText();
  const fonts = new Fonts();
  const unread: number[] = [];
  const isForm = (await document.getFieldObjects()) !== null;
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    text.section({ page: number });
    const { pieces, isNameless } = await piecesOf(page, operations, fonts);
    const values = isForm ? await formValues(page, pieces) : [];
    const measures = measuresOf(page);
    const letters = pieces.reduce((sum, piece) => sum + piece.text.length, 0);
    // A page number or a stamp on a picture of a page is not its text.
    const isPicture = letters === 0 || isNameless || (letters < FEW_LETTERS && (await drawn.mayShowText(number)));
    const words = isPicture ? pictures.textOf(String(number)) : '';
    if (isNameless && words === '') unread.push(number);
    const isRead = isNameless || words.length > letters;
    if (isRead) text.addAll(words);
    for (const paragraph of pageText(isRead ? values : [...pieces, ...values], measures)) text.add(paragraph);
    page.cleanup();
  }
  if (unread.length > 0) throw new ExtractionError(namelessLetters(unread));
  const { text: whole, sections } = text.result;
  if (whole === '') throw new ExtractionError(NO_TEXT);
  const { info } = (await document.getMetadata().catch(() => ({ info: {} }))) as { info: Record<string, unknown> };
  const word = (name: string) => (typeof info[name] === 'string' ? (info[name] as string) : null);
  return {
    ...{ text: whole, sections, title: word('Title'), author: word('Author'), language: word('Language') },
    date: dateOf(word('CreationDate')),
  };
}

function measuresOf({ rotate, view }: PdfPage): PageMeasures {
  const [left = 0, bottom = 0, right = 0, top = 0] = view;
  return { quarters: (rotate / 90) & 3, width: right - left, height: top - bottom };
}

const NO_TEXT =
  'No text was found on the pages of the PDF, nor in the pictures of its pages. Make a PDF of larger or sharper pictures, or one that holds the text, and upload that.';

/** Numbers of pages that an error names. */
const NAMED_PAGES = 10;

function namelessLetters(pages: readonly number[]): string {
  const named = pages.slice(0, NAMED_PAGES).join(', ');
  const where = `${pages.length === 1 ? 'page' : 'pages'} ${named}${pages.length > NAMED_PAGES ? ' and more' : ''}`;
  return `The PDF does not say which letters it draws on ${where}, and they were not recognized in the picture of the page. Export it again from the program that made it, with its fonts as Unicode text, and upload that.`;
}

function translated(error: unknown): ExtractionError {
  if (error instanceof ExtractionError) return error;
  return (error as Error).name === 'PasswordException' ? encryptedFileError() : damagedFileError(KIND, error);
}

/** `D:20240501120000+02'00'` */
function dateOf(date: string | null): string | null {
  const match = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(?:(\d\d)(\d\d)(\d\d)?)?(?:([+-])(\d\d)'?(\d\d)?|Z)?/.exec(date ?? '');
  if (match === null) return null;
  const [, year, month = '01', day = '01', hour, minute, second = '00', sign, zoneHours, zoneMinutes = '00'] = match;
  if (hour === undefined) return `${year}-${month}-${day}`;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${sign === undefined ? 'Z' : `${sign}${zoneHours}:${zoneMinutes}`}`;
}
