import { type Attributes, attribute, type XmlReader } from '../../xml.ts';
import type { LinkedTexts } from '../drawings/linked-texts.ts';
import { Equation } from '../equation.ts';
import { isOn } from '../on-off.ts';
import { type Block, Blocks } from './blocks.ts';
import { DELETED, DRAWINGS, GROUPS, LEFT_OUT, PICTURES, READ_UNSEEN, UNWRAPPED } from './elements.ts';
import { Fields } from './fields.ts';
import { HiddenText } from './hidden-text.ts';
import { Alternatives, Shapes } from './shapes.ts';
import { XmlWriter } from './xml-writer.ts';

/** What is done with an open element. */
interface Opened {
  readonly close?: () => void;
  /** Takes the words directly inside. */
  readonly text?: (words: string) => void;
  /** Takes the elements directly inside, which are not written. */
  readonly child?: (name: string, attributes: Attributes) => void;
}

interface Element extends Opened {
  readonly name: string;
  /** Of a group of equations: one is written. */
  hasEquation?: boolean;
}

/** What is known of a part of a Word document, and what it tells beside its text. */
interface PartOptions {
  /** The part is a header or footer: gets its paragraphs and tables, which have no pictures. */
  readonly block?: (block: Block) => void;
  /** Gets the properties of sections. */
  readonly section?: (name: string, attributes: Attributes) => void;
  /** Texts of charts and diagrams that are parts of their own. */
  readonly linked?: LinkedTexts;
}

/**
 * Writes a part of a Word document as a person sees it, in the form that mammoth reads: without deleted and hidden text; with
 * text boxes, ruby and results of fields where mammoth looks for text; with equations as lines.
 */
export class WordPart implements XmlReader {
  readonly #hidden: HiddenText;
  readonly #blocks: Blocks | null;
  readonly #linked: LinkedTexts;
  readonly #tellSection: NonNullable<PartOptions['section']>;
  readonly #writer = new XmlWriter();
  readonly #fields = new Fields();
  readonly #shapes = new Shapes(this.#writer);
  readonly #alternatives = new Alternatives(this.#writer);
  readonly #open: Element[] = [];
  /** Prefix of Word's elements, with its colon. */
  #prefix = '';
  #equation: Equation | null = null;
  /** Open elements inside each other that are left out. */
  #skipped = 0;
  #fillStart = (_: string): void => undefined;
  #fillEnd = (_: string): void => undefined;

  /** @param hiddenStyles their ids */
  constructor(hiddenStyles: ReadonlySet<string>, { block, section, linked = new Map() }: PartOptions = {}) {
    this.#linked = linked;
    this.#hidden = new HiddenText(hiddenStyles);
    this.#blocks = block === undefined ? null : new Blocks(this.#writer, block);
    this.#tellSection = section ?? (() => undefined);
  }

  /** The part, to be read once. @param above XML of what stands above the body. @param below the same, below it */
  xml(above = '', below = ''): string {
    this.#fillStart(above);
    this.#fillEnd(below);
    return this.#writer.taken();
  }

  open(name: string, attributes: Attributes, tag: string): void {
    const parent = this.#open.at(-1);
    if (this.#equation !== null) this.#equation.open(name, attributes);
    else if (this.#skipped > 0) this.#skipped += 1;
    else if (parent?.child !== undefined) {
      parent.child(name, attributes);
      this.#skipped = 1;
    } else if (name === 'oMath') this.#equation = new Equation();
    else {
      const opened =
        parent === undefined ? this.#openRoot(name, attributes, tag) : this.#openIn(parent, name, attributes, tag);
      if (opened === null) this.#skipped = 1;
      else this.#open.push({ ...opened, name });
    }
  }

  close(): void {
    if (this.#equation !== null && !this.#equation.isComplete) this.#equation.close();
    else if (this.#equation !== null) this.#endEquation(this.#equation.line);
    else if (this.#skipped > 0) this.#skipped -= 1;
    else this.#open.pop()?.close?.();
    if (this.#open.length === 1 && this.#skipped === 0 && this.#equation === null) this.#blocks?.end();
  }

  text(words: string): void {
    if (this.#equation !== null) this.#equation.text(words);
    else if (this.#skipped === 0) this.#open.at(-1)?.text?.(words);
  }

  #openRoot(name: string, attributes: Attributes, tag: string): Opened {
    this.#prefix = tag.slice(0, -name.length);
    if (this.#blocks === null) return this.#written(tag, attributes);
    this.#blocks.begin(this.#prefix, attributes);
    return {};
  }

  /** Null: the element is left out. */
  #openIn(parent: Element, name: string, attributes: Attributes, tag: string): Opened | null {
    if (tag !== `${this.#prefix}${name}`) return this.#openOther(name, attributes, tag);
    // Properties before a change may say that text is hidden.
    if (LEFT_OUT.has(name) || name.endsWith('Change') || (DELETED.has(name) && !parent.name.endsWith('Pr')))
      return null;
    if (parent.name === 'r' && !READ_UNSEEN.has(name) && (this.#fields.isInstruction || this.#hidden.isHidden))
      return null;
    if (UNWRAPPED.has(name)) return {};
    if (DRAWINGS.has(name)) {
      this.#shapes.openDrawing();
      return this.#written(tag, attributes, () => this.#shapes.closeDrawing(this.#prefix));
    }
    switch (name) {
      case 't':
        return { ...this.#written(tag), text: (words) => this.#write(words) };
      case 'r':
        this.#hidden.openRun();
        return this.#written(tag, {}, () => this.#hidden.closeRun());
      case 'p':
        return this.#openParagraph(tag);
      case 'rPr':
        if (parent.name !== 'r') return this.#written(tag, attributes);
        return { child: (property, values) => this.#hidden.setRunProperty(property, values) };
      case 'pStyle':
        this.#hidden.setParagraphStyle(attributes);
        return this.#written(tag, attributes);
      case 'sectPr':
        return { child: this.#tellSection };
      case 'fldChar':
        if (this.#fields.isPageNumber) this.#blocks?.addPageNumber();
        this.#fields.mark(attributes);
        return null;
      case 'instrText':
        return { text: (words) => this.#fields.instruct(words) };
      case 'fldSimple':
        this.#fields.open(attributes);
        if (this.#fields.isPageNumber) this.#blocks?.addPageNumber();
        return { close: () => this.#fields.close() };
      case 'txbxContent':
        this.#shapes.openBox();
        return { close: () => this.#shapes.closeBox() };
      case 'body':
        return this.#openBody(tag);
      case 'cr':
        return this.#written(`${this.#prefix}br`);
      case 'sym':
        return this.#openSymbol(attributes, tag);
      case 'hidden':
        // A row that is not shown, as mammoth reads it.
        return this.#written(`${this.#prefix}${parent.name === 'trPr' && isOn(attributes) ? 'del' : name}`);
      default:
        if (name === 'tab' || name === 'br') this.#blocks?.addWords(' ');
        return this.#written(tag, attributes);
    }
  }

  /** Of another namespace. */
  #openOther(name: string, attributes: Attributes, tag: string): Opened | null {
    if (GROUPS.has(name)) return {};
    // Headers and footers name pictures as no other part does.
    if (PICTURES.has(name) && this.#blocks !== null) return null;
    if (name === 'textpath') return this.#writeBox([attributes.string ?? '']);
    if (name === 'chart') return this.#writeBox(this.#linked.get(attribute(attributes, 'id') ?? '') ?? []);
    if (name === 'relIds') return this.#writeBox(this.#linked.get(attribute(attributes, 'dm') ?? '') ?? []);
    if (name === 'AlternateContent') {
      this.#alternatives.open();
      return { close: () => this.#alternatives.close() };
    }
    if (name !== 'Choice' && name !== 'Fallback') return this.#written(tag, attributes);
    return this.#alternatives.openForm() ? { close: () => this.#alternatives.closeForm() } : null;
  }

  #openParagraph(tag: string): Opened {
    this.#hidden.openParagraph();
    return this.#written(tag, {}, () => {
      this.#hidden.closeParagraph();
      this.#fields.endParagraph();
      this.#blocks?.addWords(' ');
    });
  }

  #openBody(tag: string): Opened {
    this.#writer.open(tag, {});
    this.#fillStart = this.#writer.gap();
    return {
      close: () => {
        this.#fillEnd = this.#writer.gap();
        this.#writer.close(tag);
      },
    };
  }

  /** @param after is done when the end of the element is written */
  #written(tag: string, attributes: Attributes = {}, after?: () => void): Opened {
    this.#writer.open(tag, attributes);
    return {
      close: () => {
        this.#writer.close(tag);
        after?.();
      },
    };
  }

  #write(words: string): void {
    this.#writer.text(words);
    if (!this.#fields.isPageNumber) this.#blocks?.addWords(words);
  }

  #endEquation(line: string): void {
    this.#equation = null;
    const group = this.#open.at(-1);
    if (line === '' || group === undefined || this.#fields.isInstruction) return;
    // Each of a group stands on a line of its own.
    if (group.hasEquation) this.#writer.xml(`<${this.#prefix}r><${this.#prefix}br/></${this.#prefix}r>`);
    group.hasEquation = group.name === 'oMathPara';
    this.#writeInside(['r', 't'], line);
  }

  /** A sign of a font: mammoth knows those of symbol fonts, whose numbers are below 256 or for private use. */
  #openSymbol(attributes: Attributes, tag: string): Opened | null {
    const code = Number.parseInt(attribute(attributes, 'char') ?? '', 16);
    if (!(code > 0xff && code < 0xe000)) return this.#written(tag, attributes);
    this.#writeInside(['t'], String.fromCharCode(code));
    return null;
  }

  /** Words that stand in no paragraph, such as a watermark, are read as a text box. */
  #writeBox(lines: readonly string[]): null {
    this.#shapes.openBox();
    for (const line of lines) this.#writeInside(['p', 'r', 't'], line);
    this.#shapes.closeBox();
    return null;
  }

  #writeInside(names: readonly string[], words: string): void {
    for (const name of names) this.#writer.open(`${this.#prefix}${name}`, {});
    this.#write(words);
    for (const name of names.toReversed()) this.#writer.close(`${this.#prefix}${name}`);
  }
}
