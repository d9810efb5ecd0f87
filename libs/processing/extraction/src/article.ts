import type { ReadableText } from './extractors/extractor.ts';
import { shownPage } from './hidden-text/shown-page.ts';
import { htmlToText, refuseLargePage, shownToText } from './html.ts';

/** Shorter articles are taken for a mistake of the reduction; the whole page is read instead. UTF-16 code units. */
const MIN_ARTICLE = 140;
/** Pages of more elements are read whole: the reduction takes time in the square of their number. */
const MAX_ELEMENTS = 50_000;

/** What a page says about itself. */
export interface Article extends ReadableText {
  /** BCP 47. */
  readonly language: string | null;
  readonly author: string | null;
  readonly canonicalUrl: string | null;
  /** As the page writes it. */
  readonly date: string | null;
}

/** What is used of the DOM, whose types are those of a browser. */
interface PageElement {
  getAttribute(name: string): string | null;
  removeAttribute(name: string): void;
}
interface PageDocument {
  readonly documentElement: PageElement | null;
  querySelector(selectors: string): PageElement | null;
  querySelectorAll(selectors: string): Iterable<PageElement>;
}

/**
 * Reduces a page to its article. Nothing of the page is run or loaded.
 * @param url where the page was found
 * @throws ExtractionError for a page that is too large
 */
export async function readArticle(html: string, url: string | null): Promise<Article> {
  refuseLargePage(html);
  const shown = await shownPage(html);
  const whole = await shownToText(shown);
  const [{ parseHTML }, { Readability }] = await Promise.all([import('linkedom'), import('@mozilla/readability')]);
  const { document } = parseHTML(shown.html) as unknown as { readonly document: PageDocument };
  const meta = metaOf(document);
  const canonicalUrl = canonicalOf(document, url);
  const language = document.documentElement?.getAttribute('lang')?.trim() || null;
  // Everything left is shown, also where these attributes make the reduction leave it out.
  for (const name of ['hidden', 'aria-hidden', 'style']) {
    for (const element of document.querySelectorAll(`[${name}]`)) element.removeAttribute(name);
  }
  const article = reduced(() => new Readability(document, { maxElemsToParse: MAX_ELEMENTS }).parse());
  const text = article?.content ? (await htmlToText(article.content)).text : '';
  return {
    text: text.trim().length < MIN_ARTICLE ? whole.text : text,
    title: meta('og:title', 'twitter:title') ?? (article?.title?.trim() || whole.title),
    language: language ?? (article?.lang || null),
    author: meta('author', 'article:author', 'dc.creator') ?? (article?.byline?.trim() || null),
    canonicalUrl,
    date: meta('article:published_time', 'datepublished', 'date', 'dc.date') ?? (article?.publishedTime || null),
  };
}

/** Some pages are no page to the library; they are read whole. */
function reduced<T>(parse: () => T): T | null {
  try {
    return parse();
  } catch {
    return null;
  }
}

function metaOf(document: PageDocument): (...names: readonly string[]) => string | null {
  const values = new Map<string, string>();
  for (const element of document.querySelectorAll('meta')) {
    const name = ['property', 'name', 'itemprop'].map((key) => element.getAttribute(key)).find(Boolean);
    const content = element.getAttribute('content')?.trim();
    if (name && content && !values.has(name.toLowerCase())) values.set(name.toLowerCase(), content);
  }
  return (...names) => names.map((name) => values.get(name)).find((value) => value !== undefined) ?? null;
}

/** An absolute address of the web; relative ones are resolved where the page was found. */
function canonicalOf(document: PageDocument, base: string | null): string | null {
  const href = document.querySelector('link[rel~="canonical"]')?.getAttribute('href')?.trim();
  const url = href ? URL.parse(href, base ?? undefined) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}
