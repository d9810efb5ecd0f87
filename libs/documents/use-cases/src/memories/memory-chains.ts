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
import { CurrentViews, type ViewsReader } from '#views';

/** Memories with the texts of one request that are looked at. */
const MOST_WITH_TEXT = 1_000;

/** Finds memories that were recorded directly, by the id of any version or by their present text. */
@Injectable()
export class MemoryChains {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly views: CurrentViews,
  ) {}

  /** Returns the id of the first version, which names the stream. Null: there is no such version. */
  async rootOf({ organization }: AccessScope, id: string): Promise<string | null> {
    const views = await this.views.read();
    const page = { sort: null, order: 'asc', offset: 0, limit: 1 } as const;
    const scope = { organization, tags: 'all' } as const;
    const { rows } = await views.rows({ model: MEMORY_VERSIONS, scope, equals: { version_id: id }, ...page });
    return (rows[0] && parseDocumentStream(rows[0].stream)?.id) ?? null;
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
   * Returns the memories whose latest version has one of the texts, those that are active at a time first, then the newest
   * first.
   * @param now milliseconds since the epoch
   */
  async withTexts(scope: AccessScope, texts: readonly string[], now: number): Promise<readonly LiveMemory[]> {
    const wanted = new Set(texts);
    const textHashes = [...wanted].map((text) => memoryTextHash(scope.organization, text));
    const rows = await this.#rowsWith(scope, textHashes);
    const loaded = await Promise.all(rows.map(({ id }) => this.#load(scope, id)));
    const found = loaded.filter((live) => live !== null && wanted.has(latestVersion(live.memory).text)) as LiveMemory[];
    const isFound = ({ memory }: LiveMemory) => isActive(memory, now);
    return [...found.filter(isFound), ...found.filter((live) => !isFound(live))];
  }

  async #rowsWith(scope: AccessScope, textHashes: readonly string[]) {
    const views = await this.views.read();
    const query: Parameters<ViewsReader['list']>[0] = {
      ...{ scope, holds: 'memories', textHashes, filter: null, filepath: null, stages: null },
      ...{ sort: 'createdAt', order: 'desc', offset: 0, limit: MOST_WITH_TEXT },
    };
    return (await views.list(query)).rows;
  }

  async #load(scope: AccessScope, root: string): Promise<LiveMemory | null> {
    return memoryIn(await this.documents.load(scope, root));
  }
}
