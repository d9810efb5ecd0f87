import type { TokenizerCallbacks } from 'htmlparser2';

/** Attributes that say what a browser shows, or what a style sheet is for. */
const READ: ReadonlySet<string> = new Set(['class', 'hidden', 'id', 'media', 'open', 'popover', 'style', 'type']);

export type TagAttributes = Readonly<Record<string, string>>;

/** A tag of a page; `start` and `end` are positions in UTF-16 code units. */
export interface Tag {
  /** In lower case. */
  readonly name: string;
  readonly start: number;
  /** Behind `>`. */
  readonly end: number;
}

export interface StartTag extends Tag {
  readonly attributes: TagAttributes;
  readonly isSelfClosing: boolean;
}

export interface TagReader {
  startTag(tag: StartTag): void;
  endTag(tag: Tag): void;
}

/** Gives a reader the tags of a page one after the other, as they stand in it: pairs are not looked for. Linear. */
export async function readTags(html: string, reader: TagReader): Promise<void> {
  const { Tokenizer } = await import('htmlparser2');
  const tokenizer = new Tokenizer({ decodeEntities: true }, new TagTokens(html, reader));
  tokenizer.write(html);
  tokenizer.end();
}

const NO_ATTRIBUTES: TagAttributes = {};

class TagTokens implements TokenizerCallbacks {
  readonly #html: string;
  readonly #reader: TagReader;
  #name = '';
  #start = 0;
  #attributes: Record<string, string> | null = null;
  /** Null: the attribute is not read. */
  #attribute: string | null = null;
  #value = '';

  constructor(html: string, reader: TagReader) {
    this.#html = html;
    this.#reader = reader;
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#html.slice(start, end).toLowerCase();
    this.#start = start - 1;
    this.#attributes = null;
  }

  onattribname(start: number, end: number): void {
    const name = this.#html.slice(start, end).toLowerCase();
    this.#attribute = READ.has(name) ? name : null;
    this.#value = '';
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute !== null) this.#value += this.#html.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    if (this.#attribute !== null) this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    if (this.#attribute === null) return;
    this.#attributes ??= {};
    // The first of two attributes of the same name counts.
    this.#attributes[this.#attribute] ??= this.#value;
  }

  onopentagend(end: number): void {
    this.#startTag(end + 1, false);
  }

  onselfclosingtag(end: number): void {
    this.#startTag(end + 1, true);
  }

  #startTag(end: number, isSelfClosing: boolean): void {
    const attributes = this.#attributes ?? NO_ATTRIBUTES;
    this.#reader.startTag({ name: this.#name, start: this.#start, end, attributes, isSelfClosing });
  }

  onclosetag(start: number, nameEnd: number): void {
    const name = this.#html.slice(start, nameEnd).toLowerCase();
    const end = this.#html.indexOf('>', nameEnd) + 1 || this.#html.length;
    this.#reader.endTag({ name, start: this.#html.lastIndexOf('<', start), end });
  }

  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}
  ontext(): void {}
  ontextentity(): void {}
}
