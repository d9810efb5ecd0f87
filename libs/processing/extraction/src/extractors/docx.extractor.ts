import { damagedFileError, tooLarge } from '../failures.ts';
import { refuseLargePage, shownToText } from '../html.ts';
import { decodePicture, mayBePage } from '../ocr/decode.ts';
import type { PictureTexts } from '../ocr/picture-texts.ts';
import { isOoxml, mainPartOf, OFFICE_LIMITS, propertiesOf } from '../office/ooxml.ts';
import { storedCopy } from '../office/stored-copy.ts';
import { readableParts } from '../office/word/readable-parts.ts';
import { Zip } from '../zip.ts';
import type { FileExtractor } from './extractor.ts';

const KIND = 'a Word document';
const CONTENT_TYPE = 'wordprocessingml.document.main+xml';
const MAIN = 'word/document.xml';
/** Folder of the pictures, and how the source of one begins in the HTML that is made of the document. */
const MEDIA = 'word/media/';
const PICTURE = 'picture:';
/** Styles that mean a heading beside those that are called so. */
const STYLES = ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => h2:fresh"];

/** A Word document: headings, paragraphs, lists, tables, notes, pictures of pages. Deleted text and comments are left out. */
export const docx: FileExtractor = {
  kind: 'docx',
  reads: 'bytes',
  limits: OFFICE_LIMITS,
  extensions: ['docx', 'docm', 'dotx'],
  mediaTypes: [
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/vnd.ms-word.document.macroenabled.12',
  ],
  fileTypes: [],
  detects: (bytes) => isOoxml(bytes, MAIN, CONTENT_TYPE),
  async toText(bytes, { pictures }) {
    const zip = new Zip(bytes, KIND);
    const main = await mainPartOf(zip, MAIN);
    const xml = zip.read(main);
    if (xml === null) throw damagedFileError(KIND);
    const parts = await readableParts(zip, main, xml);
    // Only XML, in a container that is not packed, so that nothing is unpacked without limits. A picture is its own name.
    const copy = await storedCopy(zip, (name) => {
      if (name.startsWith(MEDIA)) return Buffer.from(name);
      if (!/\.(?:xml|rels)$/.test(name) || name.startsWith('customXml/')) return null;
      return parts.get(name) ?? zip.read(name);
    });
    const { default: mammoth } = await import('mammoth');
    let html: string;
    try {
      // One that is not in the file has no name.
      const convertImage = mammoth.images.imgElement(async (picture) => ({
        src: await picture.readAsBuffer().then(
          (name) => `${PICTURE}${name.toString('hex')}`,
          () => '',
        ),
      }));
      const options = { styleMap: STYLES, convertImage, externalFileAccess: false };
      html = (await mammoth.convertToHtml({ buffer: copy }, options)).value;
    } catch (error) {
      throw error instanceof RangeError ? tooLarge('The document is nested too deeply') : damagedFileError(KIND, error);
    }
    const page = await withPictures(html, zip, pictures);
    refuseLargePage(page);
    // What mammoth writes hides nothing.
    const { text } = await shownToText({ html: page, title: null, isCut: false });
    return { ...(await propertiesOf(zip.read('docProps/core.xml'))), text };
  },
  async *pictures(bytes, names) {
    const zip = new Zip(bytes, KIND);
    for (const name of names) {
      // The document is read without a picture that is damaged.
      yield await decodePicture(zip.read(name) ?? new Uint8Array()).catch(() => null);
    }
  },
};

/** Puts the texts of pictures of pages in their places. Other pictures are left out. */
async function withPictures(html: string, zip: Zip, pictures: PictureTexts): Promise<string> {
  const isPage = new Map<string, boolean>();
  const places = html.split(/<img [^>]*src="picture:([0-9a-f]+)"[^>]*>/);
  for (let i = 1; i < places.length; i += 2) {
    const name = Buffer.from(places[i] as string, 'hex').toString();
    if (!isPage.has(name)) isPage.set(name, await mayBePage(zip.read(name) ?? new Uint8Array()));
    const text = isPage.get(name) ? pictures.textOf(name) : '';
    places[i] = text === '' ? '' : text.split('\n\n').map(htmlOf).join('');
  }
  return places.join('');
}

const htmlOf = (paragraph: string): string =>
  `<p>${paragraph.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '<br>')}</p>`;
