import { type Attributes, attribute, readXml } from '../../xml.ts';
import { hidingStyles } from '../inherited-hiding.ts';
import { isOn } from '../on-off.ts';

/** Returns the ids of the styles whose words are hidden, by themselves or by the style that they are based on. */
export async function hiddenStyles(xml: Uint8Array | null): Promise<ReadonlySet<string>> {
  const vanish = new Map<string, boolean>();
  const bases = new Map<string, string>();
  if (xml === null) return new Set();
  let style = '';
  await readXml(xml, {
    open: (name, attributes) => {
      if (name === 'style') style = attribute(attributes, 'styleId') ?? '';
      else if (name === 'basedOn') bases.set(style, attribute(attributes, 'val') ?? '');
      else if (name === 'vanish') vanish.set(style, isOn(attributes));
    },
  });
  return hidingStyles(vanish, bases);
}

/** Which runs are hidden, by their own properties and by the styles of their words and their paragraph. */
export class HiddenText {
  readonly #styles: ReadonlySet<string>;
  /** Of the open paragraphs, which may be inside each other: whether their style is hidden. */
  readonly #paragraphs: boolean[] = [];
  /** Of the open runs: what they say themselves, and whether they have a hidden style. */
  readonly #runs: { own: boolean | null; hasHiddenStyle: boolean }[] = [];

  /** @param styles ids of the hidden ones */
  constructor(styles: ReadonlySet<string>) {
    this.#styles = styles;
  }

  openParagraph(): void {
    this.#paragraphs.push(false);
  }

  closeParagraph(): void {
    this.#paragraphs.pop();
  }

  setParagraphStyle(attributes: Attributes): void {
    this.#paragraphs[this.#paragraphs.length - 1] = this.#isHiddenStyle(attributes);
  }

  openRun(): void {
    this.#runs.push({ own: null, hasHiddenStyle: false });
  }

  closeRun(): void {
    this.#runs.pop();
  }

  /** Takes a property of the innermost run. */
  setRunProperty(name: string, attributes: Attributes): void {
    const run = this.#runs.at(-1);
    if (run === undefined) return;
    if (name === 'vanish') run.own = isOn(attributes);
    else if (name === 'rStyle') run.hasHiddenStyle = this.#isHiddenStyle(attributes);
  }

  /** Whether the innermost run is hidden. Two styles that hide their text show it together. */
  get isHidden(): boolean {
    const run = this.#runs.at(-1);
    return run?.own ?? (run?.hasHiddenStyle ?? false) !== (this.#paragraphs.at(-1) ?? false);
  }

  #isHiddenStyle(attributes: Attributes): boolean {
    return this.#styles.has(attribute(attributes, 'val') ?? '');
  }
}
