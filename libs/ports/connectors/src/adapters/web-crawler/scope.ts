/** Parameters that say how a reader came, or who he is, and not what he reads. */
const TRACKING = /^(?:utm_\w+|gclid|fbclid|msclkid|mc_[ce]id|_ga|jsessionid|phpsessid|sessionid|sid)$/i;
/** In the path, as servers of Java put it there. */
const SESSION_IN_PATH = /;jsessionid=[^/?#]*/i;
const LONGEST_ADDRESS = 2_000;
/** The same part more often than this in a path comes from links that are relative by mistake. */
const MOST_REPEATS = 3;
/** Pages of one path that differ in their query: of a calendar or of a filter there are as many as one likes. */
const MOST_QUERIES = 100;
/** Of what is no document. */
const NO_DOCUMENT =
  /\.(?:css|m?js|map|woff2?|ttf|eot|ico|zip|gz|tgz|bz2|xz|zst|7z|rar|exe|msi|dmg|pkg|iso|apk|deb|rpm|jar|bin|wasm)$/i;

/** Which addresses belong to a crawl, and which of them name the same page. */
export class Scope {
  readonly #origin: string;
  readonly #prefix: string;
  readonly #queries = new Map<string, Set<string>>();

  /** @param start where the start page was found */
  constructor(start: URL, kind: 'prefix' | 'site') {
    this.#origin = start.origin;
    this.#prefix = kind === 'site' ? '/' : folderOf(start.pathname);
  }

  /**
   * Returns the address under which a page is known.
   * @param link as a page writes it @param base where it was found
   * @returns null: it does not belong to the crawl
   */
  admit(link: string, base: URL): string | null {
    const url = URL.parse(link, base.href);
    if (url === null || url.origin !== this.#origin) return null;
    const address = addressOf(url);
    if (address.length > LONGEST_ADDRESS || NO_DOCUMENT.test(url.pathname) || isRepeating(url.pathname)) return null;
    const isBelow = url.pathname.startsWith(this.#prefix) || `${url.pathname}/` === this.#prefix;
    return isBelow && this.#hasRoom(url) ? address : null;
  }

  #hasRoom({ pathname, search }: URL): boolean {
    if (search === '') return true;
    const queries = this.#queries.get(pathname) ?? new Set();
    if (!queries.has(search) && queries.size >= MOST_QUERIES) return false;
    this.#queries.set(pathname, queries.add(search));
    return true;
  }
}

/** Changes the address to the one under which a page is known, and returns it. */
export function addressOf(url: URL): string {
  url.hash = '';
  url.username = '';
  url.password = '';
  url.pathname = url.pathname.replace(SESSION_IN_PATH, '');
  for (const name of [...url.searchParams.keys()]) if (TRACKING.test(name)) url.searchParams.delete(name);
  if (url.search === '') url.search = '';
  return url.href;
}

/** Of "/docs/intro.html" it is "/docs/"; "/docs" may be a page and a folder. */
function folderOf(path: string): string {
  const last = path.slice(path.lastIndexOf('/') + 1);
  if (last === '') return path;
  return last.includes('.') ? path.slice(0, -last.length) : `${path}/`;
}

function isRepeating(path: string): boolean {
  const counts = new Map<string, number>();
  for (const part of path.split('/')) {
    const count = (counts.get(part) ?? 0) + 1;
    if (part !== '' && count > MOST_REPEATS) return true;
    counts.set(part, count);
  }
  return false;
}
