import { docxBody, docxOf } from '../../../libs/processing/extraction/src/testing/office.ts';
import { lines, pdfOf } from '../../../libs/processing/extraction/src/testing/pdf.ts';
import { sentence } from './texts.ts';

/** Lines of a page, of about 80 characters. */
const LINES = 40;
const LINE_CHARACTERS = 80;
/** Pages of a Word document of about a page each. */
const SECTIONS = 5;
const PARAGRAPHS = 4;

/** A PDF of full pages of text with a heading each. @param first number of its first sentence */
export function textPdf(pages: number, first: number): Buffer {
  return pdfOf(
    Array.from({ length: pages }, (_, page) => {
      const heading = lines([`Report ${first + page}`], { y: 800, size: 16 });
      return [...heading, ...lines(linesOfPage(first + page * LINES), { y: 770 })];
    }),
  );
}

function linesOfPage(first: number): string[] {
  let text = '';
  for (let i = first; text.length < LINES * LINE_CHARACTERS; i += 1) text += `${sentence(i)} `;
  const words = text.split(' ');
  const made: string[] = [];
  for (let line = ''; made.length < LINES; line = '') {
    while (line.length < LINE_CHARACTERS - 8) line += `${words.shift() ?? 'end'} `;
    made.push(line.trim());
  }
  return made;
}

/** A Word document of five pages: headings, paragraphs, and a table on each page. */
export function textDocx(first: number): Uint8Array<ArrayBuffer> {
  const parts = Array.from({ length: SECTIONS }, (_, section) => {
    const begin = first + section * 100;
    const paragraph = (i: number) => Array.from({ length: 6 }, (_, j) => sentence(begin + i * 6 + j)).join(' ');
    const rows = Array.from({ length: 8 }, (_, i) => [`${begin + i}`, sentence(begin + 50 + i), 'open']);
    return [
      `# Part ${begin}`,
      ...Array.from({ length: PARAGRAPHS }, (_, i) => paragraph(i)),
      [['number', 'what', 'state'], ...rows],
    ];
  });
  return docxOf(docxBody(parts.flat()));
}

/** A table of eight columns. */
export function csv(rows: number): string {
  const made = ['number,name,city,quantity,price,ordered,state,remark'];
  for (let i = 0; i < rows; i += 1) {
    const [name, verb, , quality, thing] = sentence(i).split(' ');
    made.push(
      `${i},${name} ${thing},"Place ${i % 977}, north",${i % 97},${(i * 7) % 1_000}.50,2024-${String((i % 12) + 1).padStart(2, '0')}-15,${i % 3 === 0 ? 'open' : 'done'},${verb} ${quality} ${thing}`,
    );
  }
  return `${made.join('\n')}\n`;
}
