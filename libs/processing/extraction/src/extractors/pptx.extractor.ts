import { damagedFileError } from '../failures.ts';
import { isOoxml, OFFICE_LIMITS, propertiesOf, relationships } from '../office/ooxml.ts';
import { SectionedText } from '../sectioned-text.ts';
import { type Attributes, attribute, readXml } from '../xml.ts';
import { Zip } from '../zip.ts';
import type { FileExtractor } from './extractor.ts';

const KIND = 'a PowerPoint presentation';
const CONTENT_TYPE = 'presentationml.presentation.main+xml';
const MAIN = 'ppt/presentation.xml';
/** Slides that are read. */
const MAX_SLIDES = 10_000;

/** The slides of a presentation, in their order, with their notes. A slide is a page. */
export const pptx: FileExtractor = {
  kind: 'pptx',
  reads: 'bytes',
  limits: OFFICE_LIMITS,
  extensions: ['pptx', 'pptm', 'ppsx'],
  mediaTypes: ['application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  fileTypes: [],
  detects: (bytes) => isOoxml(bytes, MAIN, CONTENT_TYPE),
  async toText(bytes) {
    const zip = new Zip(bytes, KIND);
    const main = zip.read(MAIN);
    if (main === null) throw damagedFileError(KIND);
    const targets = await relationships(zip, MAIN);
    const slides: string[] = [];
    await readXml(main, {
      open: (name, attributes) => {
        if (name !== 'sldId' || slides.length >= MAX_SLIDES) return;
        // Beside its number, which has no prefix.
        const target = targets.get(attributes['r:id'] ?? attribute(withoutNumber(attributes), 'id') ?? '');
        if (target !== undefined) slides.push(target);
      },
    });
    const text = new SectionedText();
    for (const [i, slide] of slides.entries()) {
      text.section({ page: i + 1 });
      for (const paragraph of await paragraphsOf(zip.read(slide))) text.add(paragraph);
      const notes = [...(await relationships(zip, slide)).values()].find((path) => path.includes('notesSlide'));
      if (notes !== undefined) for (const paragraph of await paragraphsOf(zip.read(notes))) text.add(paragraph);
    }
    return { ...(await propertiesOf(zip.read('docProps/core.xml'))), ...text.result };
  },
};

const withoutNumber = ({ id: _, ...others }: Attributes) => others;

/** Titles as headings; the rows of a table a line each; other paragraphs as they are. */
async function paragraphsOf(xml: Uint8Array | null): Promise<readonly string[]> {
  const paragraphs: string[] = [];
  if (xml === null) return paragraphs;
  let placeholder = '';
  let isText = false;
  let words = '';
  let shape: string[] = [];
  let row: string[] | null = null;
  let above: readonly string[] = [];
  /** Words of the cell that covers the open cell. Null: none does. */
  let covering: string | null = null;
  let ownCells = 0;
  await readXml(xml, {
    open: (name, attributes) => {
      if (name === 'sp') [placeholder, shape] = ['', []];
      else if (name === 'ph') placeholder = attributes.type ?? 'body';
      else if (name === 'tbl') above = [];
      else if (name === 'tr') [row, ownCells] = [[], 0];
      else if (name === 'tc') {
        shape = [];
        covering = wordsCovering(attributes, row ?? [], above);
        if (covering === null) ownCells += 1;
      } else if (name === 'p') words = '';
      else if (name === 'br') words += ' ';
      isText = name === 't';
    },
    text: (text) => {
      if (isText) words += text;
    },
    close: (name) => {
      isText = false;
      if (name === 'p' && words.trim() !== '') shape.push(words.trim());
      else if (name === 'tc') row?.push(covering ?? shape.join(' '));
      else if (name === 'tr' && row !== null) {
        // A merged cell that is the whole row is written once.
        const isOneCell = ownCells === 1 && row.every((one, _, [first]) => one === first);
        paragraphs.push((isOneCell ? row.slice(0, 1) : row).join(' | '));
        above = row;
        row = null;
      } else if (name === 'sp' && shape.length > 0 && placeholder !== 'sldNum') {
        const isTitle = placeholder === 'title' || placeholder === 'ctrTitle';
        paragraphs.push(isTitle ? `# ${shape.join(' ')}` : shape.join('\n'));
        shape = [];
      }
    },
  });
  return paragraphs;
}

/** The words of the cell that covers a cell. Null: none does. @param before cells of the row to its left */
function wordsCovering(
  { hMerge, vMerge }: Attributes,
  before: readonly string[],
  above: readonly string[],
): string | null {
  if (isSet(vMerge)) return above[before.length] ?? '';
  return isSet(hMerge) ? (before.at(-1) ?? '') : null;
}

const isSet = (attribute: string | undefined): boolean => attribute === '1' || attribute === 'true';
