import pLimit from 'p-limit';
import type { DocumentContents, DocumentRepository, KnownDocument, Live, PastDocuments } from '#features/documents';
import { inactiveFrom, isInDocument, latestVersion, type Memory, withPassage } from '#features/memories';
import type { Scope } from '#platform/kernel';
import { cutUnits, memoryRow, readUnits, toRow } from '#read-side/projections';
import {
  type DocumentRow,
  documentOf,
  isWanted,
  type MemoryListQuery,
  type NewestMemoriesQuery,
  rankedScope,
  repeatsOf,
  scopeThen,
  statementOf,
  type Unit,
  type ViewsReader,
} from '#read-side/views';
import { asTagged } from './as-tagged.ts';
import { changedSince, everyRow } from './changed-since.ts';
import { shownAt, touchedIn } from './touched.ts';

/** Documents that are read at a time. */
const AT_ONCE = 64;
/** Memories of one list that are compared with each other. */
const MOST_COMPARED = 5_000;

/** A memory as it was. */
export interface PastMemory {
  readonly unit: Unit;
  /** Of the memory, or of the document that it was formed from. */
  readonly document: DocumentRow;
  /** With the versions of then. Absent: it has one version, or was recorded directly. */
  readonly memory?: Memory;
}

export interface ListedPastMemory extends PastMemory {
  /** Ids of the documents that said it, the first one first. */
  readonly documentIds: readonly string[];
}

/** Which memories are asked for. Times are milliseconds since the epoch. */
export type PastQuery = Pick<MemoryListQuery, 'scope' | 'tagsThen' | 'filter' | 'activeAt'> & {
  readonly asOf: number;
  /** What is forgotten or has expired by now is so in every past. */
  readonly now: number;
};

type Views = Pick<ViewsReader, 'list' | 'documents' | 'memories' | 'newestMemories'>;

/**
 * Lists memories as they were at a time. The views have those that were recorded directly, and those of documents that have
 * not changed since. All others follow from the streams of their documents and their own.
 */
export class PastMemories {
  readonly #documents: DocumentRepository;
  readonly #past: PastDocuments;
  readonly #contents: DocumentContents;

  constructor(documents: DocumentRepository, past: PastDocuments, contents: DocumentContents) {
    this.#documents = documents;
    this.#past = past;
    this.#contents = contents;
  }

  /**
   * Returns a page with its exact total, in the order of the views. Up to `MOST_COMPARED` memories, active ones that said the same
   * are listed as one: the oldest of them. @throws TooManyChangedError
   */
  async list(
    views: Views,
    query: PastQuery,
    { sort, order, offset: before, limit }: Pick<MemoryListQuery, 'sort' | 'order' | 'offset' | 'limit'>,
  ): Promise<{ readonly memories: readonly ListedPastMemory[]; readonly total: number }> {
    const others = await this.#others(views, query);
    const all = { ...ofViews(query), sort, order, offset: 0 };
    const { total: ofUnchanged } = await views.memories({ ...all, limit: 0 });
    if (ofUnchanged + others.length <= MOST_COMPARED) {
      const { memories } = await views.memories({ ...all, limit: ofUnchanged });
      const then = memories.map((one) => asTagged(one, query.asOf));
      const grouped = groupedOf(sorted([...then, ...inOrder(others, order)], sort, order), query.now);
      return { memories: grouped.slice(before, before + limit), total: grouped.length };
    }
    // Of those of the views, all before `offset` are on earlier pages, wherever the others are sorted in.
    const offset = Math.max(before - others.length, 0);
    const most = limit + before - offset;
    const listed = await views.memories({ ...ofViews(query), sort, order, offset, limit: most });
    const then = listed.memories.map((one) => asTagged(one, query.asOf));
    const memories = sorted([...then, ...inOrder(others, order)], sort, order);
    const page = memories.slice(before - offset, most).map((one) => ({ ...one, documentIds: documentsOf([one]) }));
    return { memories: page, total: listed.total + others.length };
  }

  /** Returns the newest memories. @throws TooManyChangedError */
  async newest(
    views: Views,
    { isStatic, ...query }: PastQuery & Pick<NewestMemoriesQuery, 'isStatic'>,
    limit: number,
  ): Promise<readonly PastMemory[]> {
    const others = await this.#others(views, query);
    const kind = isStatic === undefined ? {} : { isStatic };
    const newest = await views.newestMemories({ ...ofViews(query), ...kind }, limit);
    const wanted = others.filter(
      ({ document: { memory } }) => isStatic === undefined || (memory?.isStatic ?? false) === isStatic,
    );
    return sorted([...newest, ...inOrder(wanted, 'desc')], 'createdAt', 'desc').slice(0, limit);
  }

  /** Those that the views do not list. @throws TooManyChangedError */
  async #others(views: Views, query: PastQuery): Promise<readonly PastMemory[]> {
    const { scope, asOf } = query;
    const changed = await changedSince(views, scope, asOf);
    const touched = await everyRow(views, rankedScope(query), { holds: 'memories', types: ['passage'] });
    const known = new Set(changed);
    const unchanged = new Set(touched.flatMap(({ memory }) => memory?.documentId ?? []).filter((id) => !known.has(id)));
    const found = await pLimit(AT_ONCE).map([...known, ...unchanged], async (id) => {
      const present = await this.#documents.load(readable(scope), id);
      if (present.status !== 'live' || present.createdAt > asOf) return [];
      const isUnchanged = unchanged.has(id);
      const document = isUnchanged
        ? { details: present, indexed: present }
        : await this.#past.known(readable(scope), id, asOf);
      return document === null ? [] : this.#memoriesOf(document, present, query, isUnchanged);
    });
    return found.flat();
  }

  /** @param onlyTouched the views list the others */
  async #memoriesOf(
    { details, indexed }: KnownDocument,
    present: Live,
    query: PastQuery,
    onlyTouched: boolean,
  ): Promise<readonly PastMemory[]> {
    const { scope, filter, activeAt, asOf, now } = query;
    const units = readUnits(await this.#contents.units(indexed, 'memory'));
    const row = toRow(details, 0);
    const { memories, erased } = await touchedIn(this.#documents, scope, present);
    const touched = [...memories.values()].map(({ memory }) => memory);
    const cuts = cutUnits(units, touched, erased);
    const found = units.flatMap((read): readonly PastMemory[] => {
      const { unit } = read;
      const live = memories.get(unit.id);
      if (live === undefined) {
        const shown = onlyTouched || erased.has(unit.id) ? null : shownAt(cuts, unit, now);
        return shown === null ? [] : [{ unit: shown, document: row }];
      }
      const then = versionsUntil(withPassage(live.memory, row, unit.text), asOf);
      const latest = latestVersion(then);
      const text = isInDocument(then) ? cuts.withoutOthers(live.memory, read) : latest.text;
      const own = memoryRow(toRow({ ...live, memory: then }, 0), { document: row, memory: then, passage: unit.text });
      const document = { ...own, createdAt: latest.createdAt, updatedAt: latest.createdAt };
      const from = inactiveFrom(live.memory);
      const marked = own.memory && { memory: { ...own.memory, inactiveFrom: from } };
      const speaker = isInDocument(then) ? unit.speaker : null;
      const shown = {
        unit: { ...unit, id: latest.id, text, speaker },
        document: { ...document, ...marked },
        memory: then,
      };
      return text === '' ? [] : [shown];
    });
    const wanted = { scope: scopeThen(query), filter, filepath: null, ...(activeAt !== undefined && { activeAt }) };
    return found.filter(({ document }) => isWanted(wanted, document));
  }
}

const readable = (scope: Scope) => ({ ...scope, access: 'read' }) as const;

/** Of documents that have changed, the views know only what they are now. */
const ofViews = ({ now, ...query }: PastQuery) => ({ ...query, filepath: null, cutAt: now });

/** Leaves out the memories that say what an earlier active one says. */
function groupedOf(memories: readonly PastMemory[], now: number): readonly ListedPastMemory[] {
  const statements = new Map<PastMemory, string>();
  for (const one of memories) {
    const { inactiveFrom = null } = one.document.memory ?? {};
    if (inactiveFrom !== null && inactiveFrom <= now) continue;
    statements.set(one, statementOf({ ...one.unit, document: one.document }));
  }
  const { later } = repeatsOf(
    [...statements].map(([one, statement]) => {
      const { unit, document } = one;
      return { document: one, ordinal: unit.ordinal, id: unit.id, createdAt: document.createdAt, statement };
    }),
  );
  const groups = Map.groupBy(statements.keys(), (one) => statements.get(one));
  return memories
    .filter((one) => !later.has(one))
    .map((one) => {
      const group = statements.has(one) ? groups.get(statements.get(one)) : undefined;
      return { ...one, documentIds: documentsOf(sorted([...(group ?? [one])], 'createdAt', 'asc')) };
    });
}

/** Ids of the documents of memories, each once. */
const documentsOf = (memories: readonly PastMemory[]): readonly string[] => [
  ...new Set(memories.flatMap(({ document }) => documentOf(document) ?? [])),
];

function versionsUntil(memory: Memory, asOf: number): Memory {
  const [first, ...later] = memory.versions;
  const versions = first === undefined ? [] : [first, ...later.filter(({ createdAt }) => createdAt <= asOf)];
  return { ...memory, versions };
}

/** Those of a document are in the order of its text, or the last one first. */
function inOrder(memories: readonly PastMemory[], order: 'asc' | 'desc'): readonly PastMemory[] {
  return order === 'asc' ? memories : memories.toReversed();
}

/** As the views sort: ties by id, in the same direction. Those of one document stay in their order. */
function sorted(memories: PastMemory[], sort: 'createdAt' | 'updatedAt', order: 'asc' | 'desc'): PastMemory[] {
  return memories.sort(({ document: a }, { document: b }) => {
    const ascending = a[sort] - b[sort] || (a.id === b.id ? 0 : a.id < b.id ? -1 : 1);
    return order === 'asc' ? ascending : -ascending;
  });
}
