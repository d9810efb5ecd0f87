import { Injectable } from '@nestjs/common';
import {
  DocumentRepository,
  isActive,
  type LiveMemory,
  latestVersion,
  MEMORY_VERSIONS,
  memoryIn,
  memoryTextHash,
  parseDocumentStream,
} from '#documents';
import type { AccessScope } from '#kernel';
import { CurrentViews, type RowValues } from '#views';

/** Versions with one text that are looked at. */
const MOST_WITH_TEXT = 1_000;

/** Finds memories that were recorded directly, by the id of any version or by their present text. */
@Injectable()
export class MemoryChains {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly views: CurrentViews,
  ) {}

  /** Returns the id of the first version, which names the stream. Null: there never was such a version. */
  async rootOf({ organization }: AccessScope, id: string): Promise<string | null> {
    const [root = null] = await this.#roots(organization, { version_id: id }, 1);
    return root;
  }

  /** Null: none, or none that the scope permits. */
  async find(scope: AccessScope, id: string): Promise<LiveMemory | null> {
    // The id of the first version needs no lookup, and is the most frequent one.
    const own = await this.#load(scope, id);
    if (own !== null) return own;
    const root = await this.rootOf(scope, id);
    return root === null ? null : this.#load(scope, root);
  }

  /**
   * Returns the memories whose latest version has this text, those that are active at a time first, then the newest first.
   * @param now milliseconds since the epoch
   */
  async withText(scope: AccessScope, text: string, now: number): Promise<readonly LiveMemory[]> {
    const { organization } = scope;
    const text_hash = memoryTextHash(organization, text);
    const roots = await this.#roots(organization, { text_hash }, MOST_WITH_TEXT);
    const loaded = await Promise.all([...new Set(roots)].map((root) => this.#load(scope, root)));
    const found = loaded.filter((live) => live !== null).filter(({ memory }) => latestVersion(memory).text === text);
    const active = found.filter(({ memory }) => isActive(memory, now));
    return [...active, ...found.filter((live) => !active.includes(live))];
  }

  /** The newest first. */
  async #roots(organization: AccessScope['organization'], equals: RowValues, limit: number): Promise<string[]> {
    const views = await this.views.read();
    const scope = { organization, tags: 'all' } as const;
    const page = { sort: 'at', order: 'desc', offset: 0, limit } as const;
    const { rows } = await views.rows({ model: MEMORY_VERSIONS, scope, equals, ...page });
    return rows.flatMap(({ stream }) => parseDocumentStream(stream)?.id ?? []);
  }

  async #load(scope: AccessScope, root: string): Promise<LiveMemory | null> {
    return memoryIn(await this.documents.load(scope, root));
  }
}
