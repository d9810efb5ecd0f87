import type { Declarations } from './declarations.ts';
import { isRemoved } from './hiding.ts';
import { isVoid, OpenElements } from './open-elements.ts';
import { StyleRules } from './style-rules.ts';
import { stylesIn } from './styles-in.ts';
import { readTags, type StartTag, type Tag, type TagReader } from './tags.ts';
import { isSeen, type TextStyle, textStyleOf, USUAL_TEXT } from './text-style.ts';

/** A page as a browser shows it. */
export interface ShownPage {
  readonly html: string;
  /** Markup of the title; null: there is none. */
  readonly title: string | null;
  /** Whether something was left out. */
  readonly isCut: boolean;
}

/** Never shown, or only where scripts do not run. */
const REMOVED: ReadonlySet<string> = new Set(['datalist', 'noembed', 'noframes', 'noscript', 'rp', 'template']);
/** A page that is hidden as a whole is shown by its scripts. */
const WHOLE: ReadonlySet<string> = new Set(['body', 'head', 'html']);
const NO_CLASSES: ReadonlySet<string> = new Set();

/**
 * Leaves out what a browser hides: elements that are not displayed, have no size, or stand outside of the window, and text that is
 * invisible or has no size. Nothing is loaded or run. Linear.
 * @throws ExtractionError if the styles are too large
 */
export async function shownPage(html: string): Promise<ShownPage> {
  const styles = await StyleRules.load();
  for (const css of await stylesIn(html)) styles.add(css);
  const reader = new ShownReader(html, styles);
  await readTags(html, reader);
  return reader.end();
}

class ShownReader implements TagReader {
  readonly #html: string;
  readonly #styles: StyleRules;
  readonly #open = new OpenElements<TextStyle>();
  readonly #kept: string[] = [];
  #keptFrom = 0;
  /** Behind the last tag. */
  #textFrom = 0;
  /** The hidden element in which this is: where it begins, and how many elements are open around it. */
  #hidden: { readonly start: number; readonly depth: number } | null = null;
  #titleFrom: number | null = null;
  #title: string | null = null;

  constructor(html: string, styles: StyleRules) {
    this.#html = html;
    this.#styles = styles;
  }

  startTag(tag: StartTag): void {
    const { name, start, end } = tag;
    this.#text(start);
    this.#textFrom = end;
    if (WHOLE.has(name)) return;
    this.#open.closeBefore(name);
    this.#endHidden(start);
    const isInDrawing = this.#open.has('svg') || this.#open.has('math');
    const hasEnd = !isVoid(name) && !(tag.isSelfClosing && isInDrawing);
    const inherited = this.#open.innermost ?? USUAL_TEXT;
    if (this.#hidden !== null) {
      if (hasEnd) this.#open.push(name, inherited);
      return;
    }
    if (name === 'title' && !isInDrawing) this.#titleFrom ??= end;
    const values = this.#valuesOf(tag);
    const value = (property: string) => values.get(property)?.value ?? '';
    const isHiddenAnyway = isHiddenWithoutStyle(tag);
    const isHidden = name !== 'title' && (values.size === 0 ? isHiddenAnyway : isRemoved(value, isHiddenAnyway));
    if (isHidden && hasEnd) this.#hidden = { start, depth: this.#open.depth };
    if (isHidden && !hasEnd) this.#leaveOut(start, end);
    if (hasEnd) this.#open.push(name, values.size === 0 ? inherited : textStyleOf(value, inherited));
  }

  endTag({ name, start, end }: Tag): void {
    this.#text(start);
    this.#textFrom = end;
    if (WHOLE.has(name)) return;
    if (name === 'title' && this.#titleFrom !== null) this.#title ??= this.#html.slice(this.#titleFrom, start);
    this.#open.close(name);
    // Its own end tag is a part of a hidden element.
    this.#endHidden(this.#open.depth === this.#hidden?.depth ? end : start);
  }

  end(): ShownPage {
    this.#text(this.#html.length);
    if (this.#hidden !== null) this.#leaveOut(this.#hidden.start, this.#html.length);
    const isCut = this.#keptFrom > 0;
    const html = isCut ? `${this.#kept.join('')}${this.#html.slice(this.#keptFrom)}` : this.#html;
    return { html, title: this.#title, isCut };
  }

  /** Leaves out the text that ends here, if it is not seen. */
  #text(end: number): void {
    if (this.#hidden !== null || this.#textFrom >= end) return;
    if (!isSeen(this.#open.innermost ?? USUAL_TEXT)) this.#leaveOut(this.#textFrom, end);
  }

  /** Leaves out the hidden element if it is closed. */
  #endHidden(end: number): void {
    if (this.#hidden === null || this.#open.depth > this.#hidden.depth) return;
    this.#leaveOut(this.#hidden.start, end);
    this.#hidden = null;
  }

  #leaveOut(start: number, end: number): void {
    this.#kept.push(this.#html.slice(this.#keptFrom, start));
    this.#keptFrom = end;
  }

  #valuesOf({ name, attributes }: StartTag): Declarations {
    const { id, style = '' } = attributes;
    const classes = attributes.class?.split(/[ \t\n\f\r]+/).filter(Boolean);
    return this.#styles.valuesOf({ name, id, classes: classes ? new Set(classes) : NO_CLASSES }, style);
  }
}

/** Whether a browser does not show an element unless its style says so. */
function isHiddenWithoutStyle({ name, attributes: { hidden, open, popover } }: StartTag): boolean {
  return (
    (hidden !== undefined && hidden.toLowerCase() !== 'until-found') ||
    REMOVED.has(name) ||
    (name === 'dialog' && open === undefined) ||
    popover !== undefined
  );
}
