import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import {
  asShown,
  type DocumentPassage,
  DocumentRepository,
  isActive,
  isInDocument,
  type LiveMemory,
  latestVersion,
  MEMORY_VERSIONS,
  memoryIn,
  parseDocumentStream,
  passageOf,
  untouched,
} from '#features/documents';
import { type AccessScope, systemScope } from '#platform/kernel';
import { CurrentViews, membersOf, statementOf, type ViewsReader } from '#read-side/views';
import { AT_ONCE } from './memory-name.ts';

/** Memories with the texts of one request that are looked at. */
const MOST_WITH_TEXT = 1_000;

/** A memory with all its versions. */
export type MemoryMatch = LiveMemory & {
  /** Of a memory that was formed from a document. Null: it was recorded directly. */
  readonly origin: DocumentPassage | null;
  /** Equal for memories that say the same (`statementOf`). */
  readonly statement: string;
};

type Passage = Awaited<ReturnType<ViewsReader['passages']>>[number];

/** Finds memories, recorded directly or formed from documents, by the id of any version or by their present text. */
@Injectable()
export class MemoryFinder {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly views: CurrentViews,
  ) {}

  /** Returns the id of the first version of a memory, which names its stream, by that of a later one. Null: there is none. */
  async rootOf({ organization }: AccessScope, id: string): Promise<string | null> {
    const views = await this.views.read();
    const page = { sort: null, order: 'asc', offset: 0, limit: 1 } as const;
    const scope = { organization, tags: 'all' } as const;
    const { rows } = await views.rows({ model: MEMORY_VERSIONS, scope, equals: { version_id: id }, ...page });
    return (rows[0] && parseDocumentStream(rows[0].stream)?.id) ?? null;
  }

  /** Null: none, or none that the scope permits. */
  async find(scope: AccessScope, id: string): Promise<MemoryMatch | null> {
    // The id of the first version needs no lookup, and is the most frequent one.
    const own = await this.#withRoot(scope, id);
    if (own !== null) return own;
    const root = await this.rootOf(scope, id);
    return root === null ? null : this.#withRoot(scope, root);
  }

  /**
   * Returns the memories whose latest version has one of the texts, those that are active at a time first, then the newest
   * first.
   * @param now milliseconds since the epoch
   */
  async withTexts(scope: AccessScope, texts: readonly string[], now: number): Promise<readonly MemoryMatch[]> {
    const wanted = [...new Set(texts)];
    const views = await this.views.read();
    const [direct, passages] = await Promise.all([
      this.#rowsWith(views, scope, wanted).then((rows) => this.#withRoots(scope, rows)),
      views.passages(scope, { texts: wanted }),
    ]);
    const ofPassages = await Promise.all(passages.map((passage) => this.#ofPassage(scope, passage)));
    return inOrder([...direct, ...ofPassages], wanted, now);
  }

  /**
   * Returns the memories that say the same as some found ones and are as active as these are, with the found ones.
   * @param now milliseconds since the epoch
   */
  async equal(scope: AccessScope, found: readonly MemoryMatch[], now: number): Promise<readonly MemoryMatch[]> {
    const texts = found.map(({ memory }) => latestVersion(memory).text);
    const keyOf = (isOneActive: boolean, statement: string) => `${isOneActive} ${statement}`;
    const wanted = new Set(found.map(({ memory, statement }) => keyOf(isActive(memory, now), statement)));
    const known = new Set(found.map(({ id }) => id));
    const members = await membersOf(await this.views.read(), scope, texts, now);
    const others = members.filter((one) => !known.has(one.id) && wanted.has(keyOf(one.isActive, one.statement)));
    const loaded = await pLimit(AT_ONCE).map(others, ({ id, passage }) =>
      passage === null ? this.#withRoot(scope, id) : this.#ofPassage(scope, passage),
    );
    // A change since then may have made others of them.
    const isEqual = (one: MemoryMatch) => wanted.has(keyOf(isActive(one.memory, now), one.statement));
    return [...found, ...loaded.filter((one) => one !== null).filter(isEqual)];
  }

  /** As `withTexts`, of memories that were recorded directly. */
  async directWithTexts(scope: AccessScope, texts: readonly string[], now: number): Promise<readonly MemoryMatch[]> {
    const wanted = [...new Set(texts)];
    const rows = await this.#rowsWith(await this.views.read(), scope, wanted);
    const direct = rows.filter(({ memory }) => memory?.documentId === undefined);
    return inOrder(await this.#withRoots(scope, direct), wanted, now);
  }

  #withRoots(scope: AccessScope, rows: readonly { readonly id: string }[]) {
    return Promise.all(rows.map(({ id }) => this.#withRoot(scope, id)));
  }

  async #rowsWith(views: ViewsReader, scope: AccessScope, texts: readonly string[]) {
    const query: Parameters<ViewsReader['list']>[0] = {
      ...{ scope, holds: 'memories', texts, filter: null, filepath: null, stages: null },
      ...{ sort: 'createdAt', order: 'desc', offset: 0, limit: MOST_WITH_TEXT },
    };
    return (await views.list(query)).rows;
  }

  /** By the id of the first version. */
  async #withRoot(scope: AccessScope, root: string): Promise<MemoryMatch | null> {
    const direct = await this.#load(scope, root);
    if (direct !== null && direct.memory.passage === null) {
      return { ...direct, origin: null, statement: statementIn(direct, null) };
    }
    const views = await this.views.read();
    const [passage] = await views.passages(scope, { ids: [root] });
    return passage === undefined ? null : this.#ofPassage(scope, passage);
  }

  /** The document decides whether the scope permits it. */
  async #ofPassage({ organization }: AccessScope, passage: Passage): Promise<MemoryMatch | null> {
    const origin = passageOf(passage);
    const own = await this.#load(systemScope(organization), origin.id);
    const live = own === null ? untouched(origin) : asShown(own, origin);
    return { ...live, origin, statement: statementIn(live, passage) };
  }

  async #load(scope: AccessScope, root: string): Promise<LiveMemory | null> {
    return memoryIn(await this.documents.load(scope, root));
  }
}

/** @param passage null: it was recorded directly */
function statementIn({ memory, tags }: LiveMemory, passage: Passage | null): string {
  const { text, createdAt, temporalContext } = latestVersion(memory);
  const documentDate = temporalContext?.documentDate ?? passage?.document.documentDate ?? null;
  const speaker = isInDocument(memory) ? (passage?.unit.speaker ?? null) : null;
  return statementOf({ text, speaker, document: { tags, documentDate, createdAt, memory: { temporalContext } } });
}

function inOrder(
  loaded: readonly (MemoryMatch | null)[],
  texts: readonly string[],
  now: number,
): readonly MemoryMatch[] {
  const wanted = new Set(texts);
  const byId = new Map(loaded.flatMap((live) => (live === null ? [] : [[live.id, live] as const])));
  const found = [...byId.values()].filter(({ memory }) => wanted.has(latestVersion(memory).text));
  found.sort((a, b) => latestVersion(b.memory).createdAt - latestVersion(a.memory).createdAt);
  const isFound = ({ memory }: LiveMemory) => isActive(memory, now);
  return [...found.filter(isFound), ...found.filter((live) => !isFound(live))];
}
