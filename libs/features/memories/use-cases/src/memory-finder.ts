import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { DocumentRepository, memoryIn, parseDocumentStream } from '#features/documents';
import {
  type DocumentPassage,
  isActive,
  isInDocument,
  latestVersion,
  MEMORY_VERSIONS,
  type Memory,
  memoryOfPassage,
  sentenceHashes,
  withPassage,
} from '#features/memories';
import { type AccessScope, permits, systemScope } from '#platform/kernel';
import { CurrentViews, membersOf, statementOf, type ViewsReader } from '#read-side/views';

/** Memories that one request reads or changes at a time. */
export const AT_ONCE = 64;

/** Memories with the texts of one request that are looked at. */
const MOST_WITH_TEXT = 1_000;

/** A memory as a request names it: by the id of any version, or by its exact present text. */
export type MemoryName = { readonly id: string } | { readonly text: string };

/** A memory with the text of its first version, as a request can name it. */
export interface MemoryMatch extends Memory {
  /** The passage of the document that it was formed from. Null: it was recorded directly. */
  readonly origin: DocumentPassage | null;
  /** Equal for the memories of a duplicate group (`statementOf`). */
  readonly statement: string;
}

type Passage = Awaited<ReturnType<ViewsReader['passages']>>[number];

/** Returns a scope narrowed to the tag of a request. Null: the scope does not permit the tag. */
export function withinTag(scope: AccessScope, tag: string | null): AccessScope | null {
  if (tag === null) return scope;
  return permits(scope, [tag]) ? { ...scope, tags: [tag] } : null;
}

/** Finds memories, recorded directly or formed from documents, by the id of any version or by their present text. */
@Injectable()
export class MemoryFinder {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly views: CurrentViews,
  ) {}

  /** Returns the id of a memory, by that of a later version than the first one. Null: no memory has such a version. */
  async rootOf({ organization }: AccessScope, id: string): Promise<string | null> {
    const views = await this.views.read();
    const page = { sort: null, order: 'asc', offset: 0, limit: 1 } as const;
    const scope = { organization, tags: 'all' } as const;
    const { rows } = await views.rows({ model: MEMORY_VERSIONS, scope, equals: { version_id: id }, ...page });
    return (rows[0] && parseDocumentStream(rows[0].stream)?.id) ?? null;
  }

  /** Null: none, or none that the scope permits. */
  async withId(scope: AccessScope, id: string): Promise<MemoryMatch | null> {
    // The id of the first version needs no lookup, and is the most frequent one.
    const own = await this.#withRoot(scope, id);
    if (own !== null) return own;
    const root = await this.rootOf(scope, id);
    return root === null ? null : this.#withRoot(scope, root);
  }

  /** Returns the memories that ids name, each once. */
  async withIds(scope: AccessScope, ids: readonly string[]): Promise<readonly MemoryMatch[]> {
    const found = await pLimit(AT_ONCE).map([...new Set(ids)], (id) => this.withId(scope, id));
    return [...new Map(found.flatMap((one) => (one === null ? [] : [[one.id, one] as const]))).values()];
  }

  /**
   * Returns the memory with the id, or all memories with the text: active ones before others, and the newest first among each.
   * @param now milliseconds since the epoch
   */
  async withName(scope: AccessScope, name: MemoryName, now: number): Promise<readonly MemoryMatch[]> {
    if ('id' in name) return this.withIds(scope, [name.id]);
    const texts = [name.text];
    const views = await this.views.read();
    const [direct, passages] = await Promise.all([
      this.#rowsWith(views, scope, texts).then((rows) => this.#withRoots(scope, rows)),
      views.passages(scope, { texts }),
    ]);
    const ofPassages = await Promise.all(passages.map((passage) => this.#ofPassage(scope, passage)));
    return inOrder([...direct, ...ofPassages], texts, now);
  }

  /**
   * Returns found memories, and after them the others of their duplicate groups that are as active as these are.
   * @param now milliseconds since the epoch
   */
  async withDuplicates(
    scope: AccessScope,
    found: readonly MemoryMatch[],
    now: number,
  ): Promise<readonly MemoryMatch[]> {
    const texts = found.map((one) => latestVersion(one).text);
    const keyOf = (isOneActive: boolean, statement: string) => `${isOneActive} ${statement}`;
    const wanted = new Set(found.map((one) => keyOf(isActive(one, now), one.statement)));
    const known = new Set(found.map(({ id }) => id));
    const members = await membersOf(await this.views.read(), scope, texts, now);
    const others = members.filter((one) => !known.has(one.id) && wanted.has(keyOf(one.isActive, one.statement)));
    const loaded = await pLimit(AT_ONCE).map(others, ({ id, passage }) =>
      passage === null ? this.#withRoot(scope, id) : this.#ofPassage(scope, passage),
    );
    // A change since then may have moved others to another group.
    const isDuplicate = (one: MemoryMatch) => wanted.has(keyOf(isActive(one, now), one.statement));
    return [...found, ...loaded.filter((one) => one !== null).filter(isDuplicate)];
  }

  /**
   * Returns the memories that were recorded directly and whose latest version has one of the texts, active ones first, then the
   * newest first.
   * @param now milliseconds since the epoch
   */
  async directWithTexts(scope: AccessScope, texts: readonly string[], now: number): Promise<readonly MemoryMatch[]> {
    const rows = await this.#rowsWith(await this.views.read(), scope, [...new Set(texts)]);
    const direct = rows.filter(({ memory }) => memory?.documentId === undefined);
    return inOrder(await this.#withRoots(scope, direct), texts, now);
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
    const direct = memoryIn(await this.documents.load(scope, root));
    if (direct !== null && direct.passage === null) {
      return { ...direct, origin: null, statement: statementIn(direct, null) };
    }
    const views = await this.views.read();
    const [passage] = await views.passages(scope, { ids: [root] });
    return passage === undefined ? null : this.#ofPassage(scope, passage);
  }

  /** The document decides whether the scope permits it. */
  async #ofPassage({ organization }: AccessScope, passage: Passage): Promise<MemoryMatch> {
    const origin = originIn(passage);
    const own = memoryIn(await this.documents.load(systemScope(organization), origin.id));
    const memory = own === null ? memoryOfPassage(origin) : withPassage(own, origin, origin.text);
    return { ...memory, origin, statement: statementIn(memory, passage) };
  }
}

const originIn = ({ unit: { id, text }, document }: Passage): DocumentPassage => ({
  ...{ id, text, sentences: sentenceHashes(text), organization: document.organization, documentId: document.id },
  ...{ tags: document.tags, createdAt: document.createdAt },
});

/** @param passage null: it was recorded directly */
function statementIn(memory: Memory, passage: Passage | null): string {
  const { text, createdAt, temporalContext } = latestVersion(memory);
  const documentDate = temporalContext?.documentDate ?? passage?.document.documentDate ?? null;
  const speaker = isInDocument(memory) ? (passage?.unit.speaker ?? null) : null;
  const document = { tags: memory.tags, documentDate, createdAt, memory: { temporalContext } };
  return statementOf({ text, speaker, document });
}

/** Returns those whose latest version has one of the texts, each once. */
function inOrder(
  loaded: readonly (MemoryMatch | null)[],
  texts: readonly string[],
  now: number,
): readonly MemoryMatch[] {
  const wanted = new Set(texts);
  const byId = new Map(loaded.flatMap((one) => (one === null ? [] : [[one.id, one] as const])));
  const found = [...byId.values()].filter((one) => wanted.has(latestVersion(one).text));
  found.sort((a, b) => latestVersion(b).createdAt - latestVersion(a).createdAt);
  return [...found.filter((one) => isActive(one, now)), ...found.filter((one) => !isActive(one, now))];
}
