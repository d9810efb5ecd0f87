import type { Attributes } from '../../xml.ts';
import { attributesOf, type XmlWriter } from './xml-writer.ts';

/** A paragraph or table of a header or footer. */
export interface Block {
  /** With the declarations of its namespaces. */
  readonly xml: string;
  /** Its words without numbers of pages. */
  readonly words: string;
  readonly hasPageNumber: boolean;
}

/** Takes the paragraphs and tables of a header or footer out of what is written, one by one. */
export class Blocks {
  readonly #writer: XmlWriter;
  readonly #tell: (block: Block) => void;
  #tag = '';
  #namespaces = '';
  #words = '';
  #hasPageNumber = false;

  constructor(writer: XmlWriter, tell: (block: Block) => void) {
    this.#writer = writer;
    this.#tell = tell;
  }

  /** @param prefix of Word's elements. @param attributes of the root element */
  begin(prefix: string, attributes: Attributes): void {
    const declarations = Object.entries(attributes).filter(([key]) => key === 'xmlns' || key.startsWith('xmlns:'));
    this.#namespaces = attributesOf(Object.fromEntries(declarations));
    // An element that stands for its content.
    this.#tag = `${prefix}customXml`;
    this.#writer.take();
  }

  addWords(words: string): void {
    this.#words += words;
  }

  addPageNumber(): void {
    this.#hasPageNumber = true;
  }

  /** Takes the end of a block. */
  end(): void {
    const xml = `<${this.#tag}${this.#namespaces}>${this.#writer.taken()}</${this.#tag}>`;
    this.#tell({ xml, words: this.#words.replace(/\s+/g, ' ').trim(), hasPageNumber: this.#hasPageNumber });
    this.#writer.take();
    [this.#words, this.#hasPageNumber] = ['', false];
  }
}
