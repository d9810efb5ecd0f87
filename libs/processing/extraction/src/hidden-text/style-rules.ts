import type { CSSToken } from '@csstools/css-tokenizer';
import { tooLarge } from '../failures.ts';
import { addDeclaration, addDeclarations, type Declarations, type Declared } from './declarations.ts';
import { readSheet, type Selector } from './style-sheet.ts';

/** Words and signs of all styles of a page. */
const MAX_TOKENS = 5_000_000;
/** Selectors of a page. */
const MAX_SELECTORS = 100_000;
/** How often elements of a page are compared with selectors. */
const MAX_COMPARISONS = 20_000_000;
/** Styles of elements that are kept, because a page repeats them. */
const MAX_KEPT = 1_000;

/** What selectors look at. */
export interface StyledElement {
  readonly name: string;
  readonly id: string | undefined;
  readonly classes: ReadonlySet<string>;
}

interface Rule {
  readonly selector: Selector;
  readonly declarations: Declarations;
  /** The rule with the higher one wins. */
  readonly rank: number;
}

type Tokenizer = typeof import('@csstools/css-tokenizer')['tokenizer'];

/** The styles of a page, as far as they say what is shown. */
export class StyleRules {
  readonly #tokenizer: Tokenizer;
  /** By one class (`.name`) or id (`#name`) of each selector. */
  readonly #rules = new Map<string, Rule[]>();
  readonly #inline = new Map<string, Declarations>();
  #tokens = 0;
  #selectors = 0;
  #comparisons = 0;

  private constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer;
  }

  static async load(): Promise<StyleRules> {
    return new StyleRules((await import('@csstools/css-tokenizer')).tokenizer);
  }

  /** Adds the rules of a style sheet. @throws ExtractionError if there are too many */
  add(css: string): void {
    readSheet(this.#tokensOf(css), (selectors, declarations) => {
      for (const selector of selectors) {
        this.#selectors += 1;
        if (this.#selectors > MAX_SELECTORS) throw tooLarge(`The page has more than ${MAX_SELECTORS} style rules`);
        const [id] = selector.ids;
        const key = id === undefined ? `.${selector.classes[0]}` : `#${id}`;
        const rules = this.#rules.get(key);
        const rule = { selector, declarations, rank: specificityOf(selector) * MAX_SELECTORS + this.#selectors };
        if (rules === undefined) this.#rules.set(key, [rule]);
        else rules.push(rule);
      }
    });
  }

  /**
   * Returns the values of an element: those of its rules, and of its own style.
   * @throws ExtractionError if the page has too many elements and rules
   */
  valuesOf(element: StyledElement, style: string): Declarations {
    const rules = this.#keysOf(element)
      .flatMap((key) => this.#rules.get(key) ?? [])
      .filter(({ selector }) => this.#matches(element, selector))
      .sort((a, b) => a.rank - b.rank);
    const inline = this.#inlineOf(style);
    if (rules.length === 0) return inline;
    const values = new Map<string, Declared>();
    for (const { declarations } of rules) addDeclarations(values, declarations);
    addDeclarations(values, inline);
    return values;
  }

  #keysOf({ id, classes }: StyledElement): readonly string[] {
    if (this.#rules.size === 0) return [];
    return [...(id === undefined ? [] : [`#${id}`]), ...Array.from(classes, (name) => `.${name}`)];
  }

  #matches(element: StyledElement, { name, ids, classes }: Selector): boolean {
    this.#comparisons += 1 + classes.length;
    if (this.#comparisons > MAX_COMPARISONS) throw tooLarge('The page has too many elements and style rules');
    return (
      (name === null || name === element.name) &&
      ids.every((id) => id === element.id) &&
      classes.every((one) => element.classes.has(one))
    );
  }

  #inlineOf(style: string): Declarations {
    const known = this.#inline.get(style);
    if (known !== undefined) return known;
    const declarations = new Map<string, Declared>();
    let tokens: CSSToken[] = [];
    for (const token of this.#tokensOf(style)) {
      if (token[0] === 'semicolon-token') {
        addDeclaration(declarations, tokens);
        tokens = [];
      } else tokens.push(token);
    }
    addDeclaration(declarations, tokens);
    if (this.#inline.size < MAX_KEPT) this.#inline.set(style, declarations);
    return declarations;
  }

  *#tokensOf(css: string): Iterable<CSSToken> {
    const { nextToken, endOfFile } = this.#tokenizer({ css });
    while (!endOfFile()) {
      const token = nextToken();
      if (token[0] === 'EOF-token') return;
      this.#tokens += 1;
      if (this.#tokens > MAX_TOKENS)
        throw tooLarge(`The styles of the page have more than ${MAX_TOKENS} words and signs`);
      yield token;
    }
  }
}

const specificityOf = ({ name, ids, classes }: Selector): number =>
  (ids.length * 100 + Math.min(classes.length, 99)) * 2 + (name === null ? 0 : 1);
