import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** Later ones win. */
const FILES = ['.gitignore', '.mnemeignore'];
/** A list that is longer is none that a person wrote. Bytes. */
const MAX_BYTES = 1024 * 1024;
/** Of what is no file that could be read. */
const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO']);
/** The library remembers each path that it has seen. */
const MAX_REMEMBERED = 10_000;

/** What is left out of a folder: what files of rules in it and in those above it say, the nearest first. */
export class Rules {
  readonly #above: Rules | null;
  readonly #depth: number;
  #own: Ignore | null;
  #seen = 0;

  private constructor(above: Rules | null, depth: number, own: Ignore | null) {
    this.#above = above;
    this.#depth = depth;
    this.#own = own;
  }

  /** Reads the rules of the folder where a connection begins. Hidden files are left out unless a rule takes them. */
  static async begin(folder: string): Promise<Rules> {
    const own = ignore({ ignoreCase: false }).add('.*');
    for (const text of await readRules(folder)) own.add(text);
    return new Rules(null, 0, own);
  }

  /** Reads the rules of a folder in it, which are these where it has none. @param path absolute @param depth how many folders lie above it */
  async below(path: string, depth: number): Promise<Rules> {
    const texts = await readRules(path);
    if (texts.length === 0) return this;
    const own = ignore({ ignoreCase: false });
    for (const text of texts) own.add(text);
    return new Rules(this, depth, own);
  }

  /** @param parts names from where the connection begins */
  isLeftOut(parts: readonly string[], isFolder: boolean): boolean {
    const own = this.#remembering();
    const { ignored, unignored } = own.test(`${parts.slice(this.#depth).join('/')}${isFolder ? '/' : ''}`);
    if (ignored || unignored) return ignored;
    return this.#above?.isLeftOut(parts, isFolder) ?? false;
  }

  #remembering(): Ignore {
    this.#seen += 1;
    const own = this.#own as Ignore;
    if (this.#seen % MAX_REMEMBERED !== 0) return own;
    this.#own = ignore({ ignoreCase: false }).add(own);
    return this.#own;
  }
}

async function readRules(folder: string): Promise<string[]> {
  const texts = await Promise.all(FILES.map((name) => readText(join(folder, name))));
  return texts.filter((text) => text !== null);
}

/** Null: there is none. A link is none, since links are not followed. @throws where one can't be read: it may hide much */
async function readText(path: string): Promise<string | null> {
  try {
    await using handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const status = await handle.stat();
    if (status.size > MAX_BYTES) throw Object.assign(new Error(`${path} is too large`), { code: 'EFBIG' });
    return status.isFile() ? await handle.readFile('utf8') : null;
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
