/** An element that is not closed, with what is kept of it. */
interface OpenElement<T> {
  readonly name: string;
  readonly value: T;
}

const words = (list: string): readonly string[] => list.split(' ');

/** End tags outside of these elements do not close what is in them. */
const SCOPE = words('applet caption table td th marquee object template');
const OF_BUTTON = [...SCOPE, 'button'];
const OF_LIST = [...SCOPE, 'ol', 'ul', 'menu'];
const OF_TABLE = words('table template');
const TABLE = new Set(words('table caption tbody thead tfoot tr td th'));
/** Elements that end tags of the words in a line, such as `</span>`, do not close. */
const BLOCKS = new Set(
  words(
    'address applet article aside blockquote button caption center colgroup dd details dialog dir div dl dt fieldset figcaption ' +
      'figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup iframe li listing main marquee menu nav noscript object ol p ' +
      'plaintext pre search section select summary table tbody td template textarea tfoot th thead tr ul xmp',
  ),
);
const VOID = new Set(
  words('area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'),
);
const ENDS_P = new Set(
  words(
    'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 ' +
      'header hgroup hr main menu nav ol p plaintext pre search section summary table ul li dd dt',
  ),
);

interface Implied {
  readonly ends: readonly string[];
  readonly within: readonly string[];
}
const OF_CELLS: Implied = { ends: words('td th'), within: OF_TABLE };
const OF_ROWS: Implied = { ends: words('caption colgroup td th tr'), within: OF_TABLE };
const OF_BODIES: Implied = { ends: words('caption colgroup td th tr tbody thead tfoot'), within: OF_TABLE };
const OF_TERMS: Implied = { ends: words('dd dt'), within: [...SCOPE, 'dl'] };
const OF_RUBY: Implied = { ends: words('rt rp'), within: [...SCOPE, 'ruby'] };
/** Elements that a start tag closes, because their end tags may be left out. */
const IMPLIED: Readonly<Record<string, Implied>> = {
  ...{ a: { ends: ['a'], within: SCOPE }, li: { ends: ['li'], within: OF_LIST } },
  ...{ dd: OF_TERMS, dt: OF_TERMS, rt: OF_RUBY, rp: OF_RUBY },
  ...{ td: OF_CELLS, th: OF_CELLS, tr: OF_ROWS, tbody: OF_BODIES, thead: OF_BODIES, tfoot: OF_BODIES },
};

/** Whether an element has no end tag. */
export const isVoid = (name: string): boolean => VOID.has(name);

/** The elements that are open at a place of a page, by the rules of HTML for end tags that are missing or misplaced. */
export class OpenElements<T> {
  readonly #open: OpenElement<T>[] = [];
  /** Places of the open elements of a name, in their order. */
  readonly #places = new Map<string, number[]>();
  readonly #blocks: number[] = [];

  get depth(): number {
    return this.#open.length;
  }

  /** What is kept of the innermost one; undefined: none is open. */
  get innermost(): T | undefined {
    return this.#open.at(-1)?.value;
  }

  has(name: string): boolean {
    return this.#last(name) >= 0;
  }

  push(name: string, value: T): void {
    const place = this.#open.push({ name, value }) - 1;
    const places = this.#places.get(name);
    if (places === undefined) this.#places.set(name, [place]);
    else places.push(place);
    if (BLOCKS.has(name)) this.#blocks.push(place);
  }

  /** Closes what a start tag closes. */
  closeBefore(name: string): void {
    if (ENDS_P.has(name)) this.#closeLast('p', OF_BUTTON);
    const { ends = [], within = [] } = IMPLIED[name] ?? {};
    for (const one of ends) this.#closeLast(one, within);
  }

  /** Closes the element that an end tag closes, with those in it. */
  close(name: string): void {
    if (TABLE.has(name)) this.#closeLast(name, OF_TABLE);
    else if (!BLOCKS.has(name)) this.#closeAbove(this.#last(name), this.#blocks.at(-1) ?? -1);
    else this.#closeLast(name, name === 'p' ? OF_BUTTON : name === 'li' ? OF_LIST : SCOPE);
  }

  #closeLast(name: string, within: readonly string[]): void {
    const place = this.#last(name);
    if (place >= 0) this.#closeAbove(place, Math.max(...within.map((one) => (one === name ? -1 : this.#last(one)))));
  }

  /** Closes the elements from a place on, if it is behind a border. */
  #closeAbove(place: number, border: number): void {
    if (place < 0 || place < border) return;
    for (const { name } of this.#open.splice(place)) this.#places.get(name)?.pop();
    while ((this.#blocks.at(-1) ?? -1) >= place) this.#blocks.pop();
  }

  #last(name: string): number {
    return this.#places.get(name)?.at(-1) ?? -1;
  }
}
