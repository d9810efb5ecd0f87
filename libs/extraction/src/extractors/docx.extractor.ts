import { damaged, tooLarge } from '../failures.ts';
import { htmlToText } from '../html.ts';
import { isOoxml, OFFICE_LIMITS, propertiesOf } from '../office/ooxml.ts';
import { storedCopy } from '../office/stored-copy.ts';
import { readXml } from '../xml.ts';
import { Zip } from '../zip.ts';
import type { FileExtractor } from './extractor.ts';

const KIND = 'a Word document';
const CONTENT_TYPE = 'wordprocessingml.document.main+xml';
const MAIN = 'word/document.xml';
/** Styles that mean a heading beside those that are called so. */
const STYLES = ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => h2:fresh"];

/** A Word document: headings, paragraphs, lists, tables, notes. Deleted text and comments are left out. */
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
  async toText(bytes) {
    const zip = new Zip(bytes, KIND);
    const main = zip.read(MAIN);
    if (main === null) throw damaged(KIND);
    // Refuses elements that are nested too deeply for the converter, which is recursive.
    await readXml(main, {});
    // Only XML, in a container that is not packed: pictures are not read, and nothing is unpacked without limits.
    const copy = await storedCopy(zip, (name) => /\.(?:xml|rels)$/.test(name) && !name.startsWith('customXml/'));
    const { default: mammoth } = await import('mammoth');
    let html: string;
    try {
      const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
      const options = { styleMap: STYLES, convertImage, externalFileAccess: false };
      html = (await mammoth.convertToHtml({ buffer: copy }, options)).value;
    } catch (error) {
      throw error instanceof RangeError ? tooLarge('The document is nested too deeply') : damaged(KIND, error);
    }
    const { text } = await htmlToText(html);
    return { ...(await propertiesOf(zip.read('docProps/core.xml'))), text };
  },
};
