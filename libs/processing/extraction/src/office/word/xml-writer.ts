import type { Attributes } from '../../xml.ts';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string => text.replace(/[&<>"]/g, (one) => ESCAPES[one] as string);

export const attributesOf = (attributes: Attributes): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escaped(value)}"`)
    .join('');

/** Writes XML. What is written may be taken out again, to be put elsewhere. */
export class XmlWriter {
  readonly #outer: string[][] = [];
  #pieces: string[] = [];
  #textLength = 0;

  /** UTF-16 code units of all text. */
  get textLength(): number {
    return this.#textLength;
  }

  open(tag: string, attributes: Attributes): void {
    this.#pieces.push(`<${tag}${attributesOf(attributes)}>`);
  }

  close(tag: string): void {
    this.#pieces.push(`</${tag}>`);
  }

  text(words: string): void {
    this.#pieces.push(escaped(words));
    this.#textLength += words.length;
  }

  xml(xml: string): void {
    this.#pieces.push(xml);
  }

  /** Leaves a gap, which the returned function fills. */
  gap(): (xml: string) => void {
    const pieces = this.#pieces;
    const at = pieces.push('') - 1;
    return (xml) => {
      pieces[at] = xml;
    };
  }

  /** Begins to take out what is written. */
  take(): void {
    this.#outer.push(this.#pieces);
    this.#pieces = [];
  }

  /** What was written since the last `take`, or all. */
  taken(): string {
    const xml = this.#pieces.join('');
    this.#pieces = this.#outer.pop() ?? [];
    return xml;
  }
}
