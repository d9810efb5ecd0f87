import type { XmlWriter } from './xml-writer.ts';

/** Puts the text boxes of drawings where mammoth looks for them: behind their drawing, each once. */
export class Shapes {
  readonly #writer: XmlWriter;
  /** Text boxes of the open drawings. */
  readonly #boxes: string[][] = [];

  constructor(writer: XmlWriter) {
    this.#writer = writer;
  }

  openDrawing(): void {
    this.#boxes.push([]);
  }

  closeDrawing(prefix: string): void {
    for (const box of this.#boxes.pop() ?? []) {
      const [start, end] = [`<${prefix}pict><${prefix}txbxContent>`, `</${prefix}txbxContent></${prefix}pict>`];
      this.#writer.xml(`${start}${box}${end}`);
    }
  }

  openBox(): void {
    this.#writer.take();
  }

  closeBox(): void {
    const box = this.#writer.taken();
    this.#boxes.at(-1)?.push(box);
  }
}

/** Chooses one of the forms that a part has of the same content: the first one with words, else the last one. */
export class Alternatives {
  readonly #writer: XmlWriter;
  readonly #chosen: { xml: string; hasWords: boolean; before: number }[] = [];

  constructor(writer: XmlWriter) {
    this.#writer = writer;
  }

  open(): void {
    this.#chosen.push({ xml: '', hasWords: false, before: 0 });
  }

  close(): void {
    this.#writer.xml(this.#chosen.pop()?.xml ?? '');
  }

  /** Returns whether the form is read. */
  openForm(): boolean {
    const chosen = this.#chosen.at(-1);
    if (chosen === undefined || chosen.hasWords) return false;
    chosen.before = this.#writer.textLength;
    this.#writer.take();
    return true;
  }

  closeForm(): void {
    const chosen = this.#chosen.at(-1);
    const xml = this.#writer.taken();
    if (chosen === undefined) return;
    chosen.xml = xml;
    chosen.hasWords = this.#writer.textLength > chosen.before;
  }
}
