import pLimit from 'p-limit';
import { type OrganizationId, systemScope } from '#kernel';
import { type DocumentRow, type Member, membersOf, type ViewsReader } from '#views';
import type { DocumentRepository } from '../repository.ts';
import { type LiveMemory, memoryIds, memoryIn } from './decide.ts';
import { isInDocument, latestVersion } from './state.ts';

/** Memories that are about to leave those that say the same. */
export interface Leaving {
  readonly organization: OrganizationId;
  /** Their documents. */
  readonly documentIds: ReadonlySet<string>;
  /** Ids of first versions of memories of these documents that stay. Absent: none. */
  readonly staying?: ReadonlySet<string>;
}

/** Ids of memories that leave, and who says the same. */
export interface Succession {
  readonly ids: readonly string[];
  /** Memories that stay, the oldest first; at least one. */
  readonly successors: readonly Member[];
}

export interface SuccessionSources {
  readonly documents: DocumentRepository;
  readonly views: Pick<ViewsReader, 'documents' | 'list' | 'passages' | 'units' | 'unitsOf'>;
  readonly now: () => number;
}

/** Memories that are looked up at a time. */
const PAGE = 1_000;
/** Documents whose memories are read at a time. */
const DOCUMENTS = 100;
/** Streams that are read at a time. */
const AT_ONCE = 32;

export const isLeaving = ({ documentIds, staying }: Leaving, { id, documentId }: Member): boolean =>
  documentId !== null && documentIds.has(documentId) && !staying?.has(id);

/**
 * Looks up which ids are to be carried on, and to which memories. That of the first of equal memories is, because lists have
 * shown it; and all of a memory that has a stream, because requests were answered with them, or they were carried on to it.
 * The views are asked once for each page of memories.
 * @param isGone whether a memory leaves, with these or with others
 */
export async function successionsOf(
  sources: SuccessionSources,
  leaving: Leaving,
  isGone: (member: Member) => boolean,
): Promise<readonly Succession[]> {
  const { views, now } = sources;
  const { organization, documentIds } = leaving;
  const rows = await views.documents({ organization, tags: 'all' }, [...documentIds]);
  const found = new Map<string, Succession>();
  for (const [first, ...others] of Map.groupBy(rows, tagsKey).values()) {
    if (first === undefined) continue;
    const scope = { organization, tags: first.tags };
    for await (const texts of textsOf(sources, leaving, [first, ...others])) {
      const members = await membersOf(views, scope, texts, now());
      const groups = Map.groupBy(members, ({ isActive, statement }) => `${isActive} ${statement}`);
      for (const [key, equal] of groups) {
        const leavers = equal.filter((one) => isLeaving(leaving, one));
        const successors = equal.filter((one) => !isGone(one)).sort(inOrder);
        if (found.has(key) || leavers.length === 0 || successors.length === 0) continue;
        const ids = await idsOf(sources, organization, leavers, equal.toSorted(inOrder)[0] as Member);
        if (ids.length > 0) found.set(key, { ids, successors });
      }
    }
  }
  return [...found.values()];
}

const tagsKey = ({ tags }: DocumentRow): string => JSON.stringify([...new Set(tags)].sort());

/** As lists order them. */
function inOrder(a: Member, b: Member): number {
  const ordinal = ({ passage }: Member) => passage?.unit.ordinal ?? 0;
  return a.createdAt - b.createdAt || ordinal(a) - ordinal(b) || (a.id < b.id ? -1 : 1);
}

async function idsOf(
  { documents }: SuccessionSources,
  organization: OrganizationId,
  leavers: readonly Member[],
  first: Member,
): Promise<readonly string[]> {
  const ids = await pLimit(AT_ONCE).map(leavers, async (leaver) => {
    const live = await memoryOf(documents, organization, leaver.id);
    if (live === null) return leaver === first ? [leaver.id] : [];
    return memoryIds(live.memory);
  });
  return ids.flat();
}

/** The present texts of the memories that leave, at most `PAGE` at a time. */
async function* textsOf(
  { documents, views }: SuccessionSources,
  { organization, staying }: Leaving,
  rows: readonly DocumentRow[],
): AsyncGenerator<readonly string[]> {
  const touched = rows.filter(({ cuts }) => cuts !== undefined);
  for (const { id } of touched) {
    const texts = await revisedTexts(documents, organization, id);
    for (let from = 0; from < texts.length; from += PAGE) yield texts.slice(from, from + PAGE);
  }
  for await (const units of memoriesOf(views, organization, rows)) {
    const texts = units.filter(({ unit }) => !staying?.has(unit.id)).map(({ unit }) => unit.text);
    if (texts.length > 0) yield texts;
  }
}

/** What callers made of memories of a document. */
async function revisedTexts(
  documents: DocumentRepository,
  organization: OrganizationId,
  documentId: string,
): Promise<readonly string[]> {
  const document = await documents.load(systemScope(organization), documentId);
  const touched = document.status === 'live' ? document.touched : [];
  const memories = await pLimit(AT_ONCE).map(touched, (id) => memoryOf(documents, organization, id));
  return memories.flatMap((live) =>
    live === null || isInDocument(live.memory) ? [] : [latestVersion(live.memory).text],
  );
}

async function memoryOf(
  documents: DocumentRepository,
  organization: OrganizationId,
  id: string,
): Promise<LiveMemory | null> {
  return memoryIn(await documents.load(systemScope(organization), id));
}

/** The memories of documents that may be repeated, as the views show them, at most `PAGE` at a time. */
async function* memoriesOf(
  views: SuccessionSources['views'],
  organization: OrganizationId,
  rows: readonly DocumentRow[],
): AsyncGenerator<
  readonly { readonly documentId: string; readonly unit: { readonly id: string; readonly text: string } }[]
> {
  const scope = { organization, tags: 'all' } as const;
  const kind = 'memory';
  for (let left = rows.map(({ id }) => id); left.length > 0; ) {
    const documentIds = left.slice(0, DOCUMENTS);
    const units = await views.unitsOf(scope, { documentIds, kind, limit: PAGE, areRepeated: true });
    yield units;
    left = left.slice(DOCUMENTS);
    const last = units.at(-1);
    if (last === undefined || units.length < PAGE) continue;
    // The limit may have cut off the last document, and those after it.
    const { documentId } = last;
    for (let from = last.unit.ordinal + 1; ; from += PAGE) {
      const ordinals = Array.from({ length: PAGE }, (_, i) => from + i);
      const more = await views.units(scope, [{ documentId, kind, ordinals }]);
      yield more;
      if (more.length < PAGE) break;
    }
    left = [...documentIds.slice(documentIds.indexOf(documentId) + 1), ...left];
  }
}
