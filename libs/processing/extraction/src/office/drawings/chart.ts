import { type Attributes, readXml, type XmlReader } from '../../xml.ts';
import { type NumberFormats, numberFormats } from '../number-formats.ts';
import { isOn } from '../on-off.ts';

/** Words by their number in a series. */
type Values = Map<number, string>;

interface Series {
  name: string;
  /** From the innermost level out. */
  readonly categories: Values[];
  readonly values: Values;
}

/** The parts of a series that are read. A bubble has a size beside its value, which is left out. */
const PARTS: ReadonlyMap<string, 'name' | 'category' | 'value'> = new Map([
  ['tx', 'name'],
  ['cat', 'category'],
  ['xVal', 'category'],
  ['val', 'value'],
  ['yVal', 'value'],
]);
const CATEGORY_AXES: ReadonlySet<string> = new Set(['catAx', 'dateAx']);

/** Returns the text of a chart: its titles, and a line for each category with the values of all series. */
export async function chartText(xml: Uint8Array): Promise<string> {
  const chart = new ChartReader(await numberFormats());
  await readXml(xml, chart);
  const tables = Map.groupBy(chart.series, ({ categories }) => JSON.stringify(categories.map((level) => [...level])));
  const rows = [...tables.values()].flatMap((series) => rowsOf(series, chart.category));
  return [chart.title, ...chart.axes, ...rows].filter((line) => line !== '').join('\n');
}

/** @param series of the same categories. @param category title of their axis */
function rowsOf(series: readonly Series[], category: string): readonly string[] {
  const [innermost, ...outer] = series[0]?.categories ?? [];
  const numbers = new Set([...(innermost?.keys() ?? []), ...series.flatMap(({ values }) => [...values.keys()])]);
  const levels = outer.map((level) => new OuterLevel(level)).toReversed();
  return [...numbers]
    .sort((a, b) => a - b)
    .map((number) => {
      const words = [...levels.map((level) => level.wordAt(number)), innermost?.get(number) ?? ''];
      const name = words.filter((word) => word !== '').join(' ');
      const cells = [[category, name], ...series.map((one) => [one.name, one.values.get(number) ?? ''])];
      const shown = cells.flatMap(([head, word]) => (word === '' ? [] : head === '' ? [word] : [`${head}: ${word}`]));
      return shown.length === 0 ? '' : `- ${shown.join('; ')}`;
    });
}

/** A level of categories whose words stand for all categories up to the next one. */
class OuterLevel {
  readonly #words: [number, string][];
  #at = -1;

  constructor(level: Values) {
    this.#words = [...level].sort(([a], [b]) => a - b);
  }

  /** @param number not less than that of the call before */
  wordAt(number: number): string {
    while ((this.#words[this.#at + 1]?.[0] ?? Number.POSITIVE_INFINITY) <= number) this.#at += 1;
    return this.#words[this.#at]?.[1] ?? '';
  }
}

class ChartReader implements XmlReader {
  title = '';
  /** Title of the axis of the categories. */
  category = '';
  /** Titles of the other axes. */
  readonly axes: string[] = [];
  readonly series: Series[] = [];
  readonly #formats: NumberFormats;
  readonly #path: string[] = [];
  #skipped = 0;
  #part: 'name' | 'category' | 'value' | null = null;
  /** Element whose title is open. */
  #titled: string | null = null;
  #titleWords = '';
  #from1904 = false;
  #isNumber = false;
  #format = '';
  /** Of the open point. */
  #ownFormat: string | undefined;
  #number = 0;
  #text = '';

  constructor(formats: NumberFormats) {
    this.#formats = formats;
  }

  open(name: string, attributes: Attributes): void {
    const parent = this.#path.at(-1) ?? '';
    this.#path.push(name);
    this.#text = '';
    // Extensions hold series that are not shown.
    if (this.#skipped > 0 || name === 'extLst') this.#skipped += 1;
    else if (name === 'date1904') this.#from1904 = isOn(attributes);
    else if (name === 'ser') this.series.push({ name: '', categories: [], values: new Map() });
    else if (parent === 'ser') [this.#part, this.#format] = [PARTS.get(name) ?? null, ''];
    else if (name === 'title') [this.#titled, this.#titleWords] = [parent, ''];
    else if (name === 'lvl' && this.#part === 'category') this.series.at(-1)?.categories.push(new Map());
    else if (name.endsWith('Cache') || name.endsWith('Lit')) this.#isNumber = name.startsWith('num');
    else if (name === 'pt') [this.#number, this.#ownFormat] = [Number(attributes.idx ?? 0), attributes.formatCode];
  }

  text(words: string): void {
    this.#text += words;
  }

  close(name: string): void {
    this.#path.pop();
    if (this.#skipped > 0) {
      this.#skipped -= 1;
      return;
    }
    if (name === 'title') this.#endTitle();
    else if (this.#titled !== null)
      this.#titleWords += name === 't' || name === 'v' ? this.#text : name === 'p' ? ' ' : '';
    else if (name === 'formatCode') this.#format = this.#text;
    else if (name === 'v') this.#add(this.#text);
    if (this.#path.at(-1) === 'ser') this.#part = null;
    this.#text = '';
  }

  #endTitle(): void {
    const words = this.#titleWords.replace(/\s+/g, ' ').trim();
    if (this.#titled === 'chart') this.title = words;
    else if (CATEGORY_AXES.has(this.#titled ?? '') && this.category === '') this.category = words;
    else this.axes.push(words);
    this.#titled = null;
  }

  #add(value: string): void {
    const series = this.series.at(-1);
    if (series === undefined) return;
    if (this.#part === 'name') series.name = value;
    else if (this.#part === 'value') series.values.set(this.#number, this.#shown(value));
    else if (this.#part === 'category') {
      if (series.categories.length === 0) series.categories.push(new Map());
      series.categories.at(-1)?.set(this.#number, this.#shown(value));
    }
  }

  #shown(value: string): string {
    const number = Number(value);
    if (!this.#isNumber || value.trim() === '' || Number.isNaN(number)) return value;
    return this.#formats.shownNumber(number, this.#ownFormat ?? this.#format, this.#from1904);
  }
}
