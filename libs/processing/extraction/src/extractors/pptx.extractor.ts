import { damagedFileError } from '../failures.ts';
import { drawingTexts } from '../office/drawings/drawing-texts.ts';
import { isOoxml, mainPartOf, OFFICE_LIMITS, propertiesOf, relationships } from '../office/ooxml.ts';
import { SectionedText } from '../sectioned-text.ts';
import { type Attributes, attribute, readXml } from '../xml.ts';
import { Zip } from '../zip.ts';
import type { FileExtractor } from './extractor.ts';

const KIND = 'a PowerPoint presentation';
const CONTENT_TYPE = 'presentationml.presentation.main+xml';
const MAIN = 'ppt/presentation.xml';
/** Slides that are read. */
const MAX_SLIDES = 10_000;

/** The slides of a presentation, in their order, with their charts, diagrams and notes. A slide is a page. */
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
    const main = await mainPartOf(zip, MAIN);
    const xml = zip.read(main);
    if (xml === null) throw damagedFileError(KIND);
    const targets = await relationships(zip, main);
    const slides: string[] = [];
    await readXml(xml, {
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
      for (const paragraph of await drawingTexts(zip, slide)) text.add(paragraph);
      const notes = [...(await relationships(zip, slide)).values()].find((path) => path.includes('notesSlide'));
      if (notes !== undefined) for (const paragraph of await drawingTexts(zip, notes)) text.add(paragraph);
    }
    return { ...(await propertiesOf(zip.read('docProps/core.xml'))), ...text.result };
  },
};

const withoutNumber = ({ id: _, ...others }: Attributes) => others;
