import { type Attributes, attribute, readXml, type XmlReader } from '../../xml.ts';
import type { Zip } from '../../zip.ts';
import { Equation } from '../equation.ts';
import { relationships } from '../ooxml.ts';
import { chartText } from './chart.ts';
import { diagramText } from './diagram.ts';

/** Where the text of a chart or a diagram is: the id of a relationship. */
interface Link {
  readonly kind: 'chart' | 'diagram';
  readonly id: string;
}

/**
 * Returns the texts of a slide or of a drawing on a sheet, in the order of its shapes: titles as headings; the rows of a table a
 * line each; charts and diagrams; other paragraphs as they are.
 * @param charts whether they are read
 */
export async function drawingTexts(zip: Zip, part: string, { charts = true } = {}): Promise<readonly string[]> {
  const xml = zip.read(part);
  if (xml === null) return [];
  const drawing = new DrawingReader();
  await readXml(xml, drawing);
  const targets = await relationships(zip, part);
  const texts: string[] = [];
  for (const one of drawing.texts) {
    if (typeof one === 'string') texts.push(one);
    else if (one.kind !== 'chart' || charts) {
      const target = zip.read(targets.get(one.id) ?? '');
      if (target !== null) texts.push(await (one.kind === 'chart' ? chartText(target) : diagramText(target)));
    }
  }
  return texts.filter((text) => text !== '');
}

class DrawingReader implements XmlReader {
  readonly texts: (string | Link)[] = [];
  #placeholder = '';
  #isText = false;
  #words = '';
  #shape: string[] = [];
  #row: string[] | null = null;
  #above: readonly string[] = [];
  /** Words of the cell that covers the open cell. Null: none does. */
  #covering: string | null = null;
  #ownCells = 0;
  #equation: Equation | null = null;
  /** How much was read before the open forms of the same content. */
  readonly #before: number[] = [];
  #read = 0;
  #skipped = 0;

  open(name: string, attributes: Attributes): void {
    if (this.#equation !== null) this.#equation.open(name, attributes);
    else if (this.#skipped > 0 || (name === 'Fallback' && this.#read > (this.#before.at(-1) ?? 0))) this.#skipped += 1;
    else this.#open(name, attributes);
  }

  text(words: string): void {
    if (this.#equation !== null) this.#equation.text(words);
    else if (this.#isText && this.#skipped === 0) this.#write(words);
  }

  close(name: string): void {
    this.#isText = false;
    if (this.#equation !== null && !this.#equation.isComplete) this.#equation.close();
    else if (this.#equation !== null) {
      this.#write(this.#equation.line);
      this.#equation = null;
    } else if (this.#skipped > 0) this.#skipped -= 1;
    else this.#close(name);
  }

  #open(name: string, attributes: Attributes): void {
    if (name === 'sp') [this.#placeholder, this.#shape] = ['', []];
    else if (name === 'ph') this.#placeholder = attributes.type ?? 'body';
    else if (name === 'tbl') this.#above = [];
    else if (name === 'tr') [this.#row, this.#ownCells] = [[], 0];
    else if (name === 'tc') {
      this.#shape = [];
      this.#covering = wordsCovering(attributes, this.#row ?? [], this.#above);
      if (this.#covering === null) this.#ownCells += 1;
    } else if (name === 'p') this.#words = '';
    else if (name === 'br') this.#words += ' ';
    else if (name === 'oMath') this.#equation = new Equation();
    else if (name === 'AlternateContent') this.#before.push(this.#read);
    else if (name === 'chart') this.#link('chart', attribute(attributes, 'id'));
    else if (name === 'relIds') this.#link('diagram', attribute(attributes, 'dm'));
    this.#isText = name === 't';
  }

  #close(name: string): void {
    if (name === 'p' && this.#words.trim() !== '') this.#shape.push(this.#words.trim());
    else if (name === 'AlternateContent') this.#before.pop();
    else if (name === 'tc') this.#row?.push(this.#covering ?? this.#shape.join(' '));
    else if (name === 'tr' && this.#row !== null) {
      const row = this.#row;
      // A merged cell that is the whole row is written once.
      const isOneCell = this.#ownCells === 1 && row.every((one, _, [first]) => one === first);
      this.texts.push((isOneCell ? row.slice(0, 1) : row).join(' | '));
      this.#above = row;
      this.#row = null;
    } else if (name === 'sp' && this.#shape.length > 0 && this.#placeholder !== 'sldNum') {
      const isTitle = this.#placeholder === 'title' || this.#placeholder === 'ctrTitle';
      this.texts.push(isTitle ? `# ${this.#shape.join(' ')}` : this.#shape.join('\n'));
      this.#shape = [];
    }
  }

  #write(words: string): void {
    this.#words += words;
    this.#read += words.trim().length;
  }

  #link(kind: Link['kind'], id: string | undefined): void {
    if (id === undefined) return;
    this.texts.push({ kind, id });
    this.#read += 1;
  }
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
