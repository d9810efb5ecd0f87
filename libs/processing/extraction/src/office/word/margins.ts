import { type Attributes, attribute, readXml } from '../../xml.ts';
import type { Zip } from '../../zip.ts';
import { isOn } from '../on-off.ts';
import type { Block } from './blocks.ts';
import { WordPart } from './part.ts';

/** Words beside numbers of pages, in the languages in which programs write them. */
const PAGE_WORDS: ReadonlySet<string> = new Set(
  (
    'page pages p pg of seite seiten s von página páginas pág pagina pag de di van sur sida sid av side af strona str z ze ' +
    'sivu oldal din stránka strana страница стр из с σελίδα από sayfa trang / 第 页 頁 共 ページ 페이지 쪽'
  ).split(' '),
);
const WORD = /\p{Script=Han}|[\p{L}\p{M}\p{N}]+/gu;

const SETTINGS = 'word/settings.xml';

/** The headers and footers of the sections of a document. */
export class Margins {
  readonly #references: { place: string; pages: string; id: string }[] = [];
  #hasFirstPages = false;

  /** Takes a property of a section. */
  add(name: string, attributes: Attributes): void {
    const place = /^(header|footer)Reference$/.exec(name)?.[1];
    if (place !== undefined) {
      this.#references.push({
        place,
        pages: attribute(attributes, 'type') ?? 'default',
        id: attribute(attributes, 'id') ?? '',
      });
    } else if (name === 'titlePg') this.#hasFirstPages ||= isOn(attributes);
  }

  /**
   * Returns the headers and footers that are shown, as XML: each paragraph and table once, without those that only number pages.
   * @param targets paths of parts, by the ids of their relationships
   */
  async read(
    zip: Zip,
    targets: ReadonlyMap<string, string>,
    hiddenStyles: ReadonlySet<string>,
  ): Promise<{ readonly header: string; readonly footer: string }> {
    const xml = { header: '', footer: '' };
    const seen = new Set<string>();
    const shown = new Set(['default', ...(this.#hasFirstPages ? ['first'] : [])]);
    if (this.#references.some(({ pages }) => pages === 'even') && (await hasEvenPages(zip))) shown.add('even');
    const read = new Set<string>();
    for (const { place, pages, id } of this.#references) {
      const path = targets.get(id) ?? '';
      if (!shown.has(pages) || read.has(path)) continue;
      read.add(path);
      const part = zip.read(path);
      if (part === null) continue;
      const block = (one: Block) => {
        if (seen.has(one.words) || isPageNumberAlone(one)) return;
        seen.add(one.words);
        xml[place as keyof typeof xml] += one.xml;
      };
      await readXml(part, new WordPart(hiddenStyles, { block }));
    }
    return xml;
  }
}

/** Whether nothing is said but the number of the page, or nothing at all. */
function isPageNumberAlone({ words, hasPageNumber }: Block): boolean {
  const all = words.toLowerCase().match(WORD) ?? [];
  return all.length === 0 || (hasPageNumber && all.every((word) => PAGE_WORDS.has(word)));
}

/** Whether even pages have headers of their own. */
async function hasEvenPages(zip: Zip): Promise<boolean> {
  let has = false;
  await readXml(zip.read(SETTINGS) ?? new Uint8Array(), {
    open: (name, attributes) => {
      if (name === 'evenAndOddHeaders') has = isOn(attributes);
    },
  });
  return has;
}
