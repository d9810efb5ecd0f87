import { createHash } from 'node:crypto';
import { Parser } from 'htmlparser2';

/** Links of one page. The others are those of a trap. */
const MOST_LINKS = 5_000;
const LONGEST_TITLE = 500;
const UNSEEN = new Set(['script', 'style', 'noscript', 'template']);
/** What is read of a page besides its text. */
const META = /^(?:og:|twitter:|article:|author$|date|dc\.|description$)/i;

/** What a crawl needs of a page. */
export interface CrawledPage {
  readonly title: string | null;
  /** As the page writes them. */
  readonly links: readonly string[];
  /** Where relative links begin. Null: at the page. */
  readonly base: string | null;
  readonly canonical: string | null;
  /** The site does not want it to be kept. */
  readonly isHidden: boolean;
  /** Of its words, its links and what it says about itself: codes that a server writes anew for each reader do not change it. */
  readonly hash: string;
}

/** @param robots the header X-Robots-Tag */
export function readPage(html: string, robots: string | null): CrawledPage {
  const hash = createHash('sha256');
  const links: string[] = [];
  const found: Record<'title' | 'base' | 'canonical', string | null> = { title: null, base: null, canonical: null };
  let isTitle = false;
  let unseen = 0;
  const directives = directivesOf(robots ?? '');
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (UNSEEN.has(name)) unseen += 1;
      if (name === 'title') isTitle = found.title === null;
      const { href, rel = '', content = '' } = attributes;
      if (name === 'base') found.base ??= href ?? null;
      else if (name === 'link' && /(?:^|\s)canonical(?:\s|$)/i.test(rel)) found.canonical ??= href ?? null;
      else if (name === 'meta') {
        const named = attributes.name ?? attributes.property ?? attributes.itemprop ?? '';
        if (/^(?:robots|mneme)$/i.test(named)) for (const one of directivesOf(content)) directives.add(one);
        else if (META.test(named)) hash.update(`\n${named}=${content}`);
      } else if ((name === 'a' || name === 'area') && href !== undefined) {
        hash.update(`\n${href}`);
        if (links.length < MOST_LINKS && !/(?:^|\s)nofollow(?:\s|$)/i.test(rel)) links.push(href);
      }
      if (attributes.alt !== undefined) hash.update(attributes.alt);
    },
    ontext: (text) => {
      if (isTitle) found.title = ((found.title ?? '') + text).slice(0, LONGEST_TITLE);
      if (unseen === 0) hash.update(text);
    },
    onclosetag: (name) => {
      if (UNSEEN.has(name)) unseen -= 1;
      if (name === 'title') isTitle = false;
    },
  });
  parser.end(html);
  return {
    ...found,
    title: found.title?.replace(/\s+/g, ' ').trim() || null,
    links: directives.has('nofollow') || directives.has('none') ? [] : links,
    isHidden: directives.has('noindex') || directives.has('none'),
    hash: hash.digest('base64url').slice(0, 22),
  };
}

const directivesOf = (text: string): Set<string> => new Set(text.toLowerCase().split(/[\s,]+/));
