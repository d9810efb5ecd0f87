import { isForScreen } from './media.ts';
import { readTags, type StartTag, type Tag, type TagReader } from './tags.ts';

/** Returns the style sheets in a page that apply on a screen where scripts run. */
export async function stylesIn(html: string): Promise<readonly string[]> {
  if (!/<style/i.test(html)) return [];
  const reader = new StyleReader(html);
  await readTags(html, reader);
  return reader.end();
}

class StyleReader implements TagReader {
  readonly #html: string;
  readonly #sheets: string[] = [];
  /** Where the open sheet begins. */
  #from: number | null = null;
  /** Open templates, and a part for browsers without scripts: their sheets do not apply. */
  #templates = 0;
  #isWithoutScripts = false;

  constructor(html: string) {
    this.#html = html;
  }

  startTag({ name, end, attributes: { media = '', type = '' } }: StartTag): void {
    if (name === 'template') this.#templates += 1;
    if (name === 'noscript') this.#isWithoutScripts = true;
    const applies = this.#templates === 0 && !this.#isWithoutScripts;
    if (name === 'style' && applies && /^(?:text\/css)?$/i.test(type) && isForScreen(media)) this.#from = end;
  }

  endTag({ name, start }: Tag): void {
    if (name === 'template' && this.#templates > 0) this.#templates -= 1;
    if (name === 'noscript') this.#isWithoutScripts = false;
    if (name === 'style') this.#endSheet(start);
  }

  end(): readonly string[] {
    this.#endSheet(this.#html.length);
    return this.#sheets;
  }

  #endSheet(end: number): void {
    if (this.#from !== null) this.#sheets.push(this.#html.slice(this.#from, end));
    this.#from = null;
  }
}
