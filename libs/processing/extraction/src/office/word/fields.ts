import { type Attributes, attribute } from '../../xml.ts';

/** Fields whose results differ from page to page. */
const PAGE_NUMBER = /^\s*(?:PAGE|NUMPAGES|SECTION|SECTIONPAGES)\b/i;

interface Field {
  instruction: string;
  isResult: boolean;
}

/** The fields that are open at a place of a part: each has an instruction, and a result that is shown. */
export class Fields {
  #open: Field[] = [];

  /** Opens a simple field, whose content is its result. */
  open(attributes: Attributes): void {
    this.#open.push({ instruction: attribute(attributes, 'instr') ?? '', isResult: true });
  }

  close(): void {
    this.#open.pop();
  }

  /** Takes the mark that begins, divides or ends a field. */
  mark(attributes: Attributes): void {
    const type = attribute(attributes, 'fldCharType');
    const innermost = this.#open.at(-1);
    if (type === 'begin') this.#open.push({ instruction: '', isResult: false });
    else if (type === 'separate' && innermost !== undefined) innermost.isResult = true;
    else if (type === 'end') this.#open.pop();
  }

  instruct(words: string): void {
    const innermost = this.#open.at(-1);
    if (innermost !== undefined) innermost.instruction += words;
  }

  /** Takes the end of a paragraph. A field whose instruction goes on behind it may be damaged: no more is left out for it. */
  endParagraph(): void {
    if (this.isInstruction) this.#open = this.#open.filter(({ isResult }) => isResult);
  }

  /** What stands here is not shown. */
  get isInstruction(): boolean {
    return this.#open.some(({ isResult }) => !isResult);
  }

  get isPageNumber(): boolean {
    return this.#open.some(({ instruction }) => PAGE_NUMBER.test(instruction));
  }
}
