import { quantize } from '#features/search';
import { newId, type OrganizationId } from '#platform/kernel';
import type { Position } from '#ports/event-store';
import type {
  DocumentChange,
  DocumentRow,
  IndexedUnitVectors,
  Unit,
  UnitChanges,
  UnitKind,
  UnitSet,
} from './documents.ts';
import type { ViewsReader } from './port.ts';
import type { DocumentListQuery, DocumentQuery, UnitSearchQuery } from './queries.ts';
import type { RowQuery, RowsChange, RowTable, RowValues } from './rows.ts';
import type { ViewsChange, ViewsWriter } from './writer-port.ts';

/** Builders for specs; what a test does not name is filled in. */

export const SPACE = 'test/1/32';
export const OTHER_SPACE = 'test/2/32';

export const newOrganization = (): OrganizationId => newId() as OrganizationId;

export interface OpenedViews {
  readonly writer: ViewsWriter;
  readonly reader: ViewsReader;
  close(): Promise<void>;
}

/**
 * Opens views for the tests of a `describe`, and closes them after the last one.
 * @param begin called before each test, with an organization of its own
 * @returns a function that writes changes as one batch
 */
export function sharedViews(
  open: () => Promise<OpenedViews>,
  begin: (opened: OpenedViews, organization: OrganizationId) => void,
): (...changes: readonly ViewsChange[]) => Promise<void> {
  let opened: OpenedViews;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());
  beforeEach(() => begin(opened, newOrganization()));
  return (...changes) => opened.writer.apply(changes, nextPosition());
}

let positions = 0;
/** A read model for specs. */
export const SHELVES: RowTable = {
  name: 'shelves',
  version: 1,
  columns: { title: 'text', pages: 'number' },
  indexes: [['title'], ['pages']],
};

/** A position that no call has given before. */
export const nextPosition = (): Position => `test:${++positions}` as Position;

export function row(organization: OrganizationId, changes: Partial<DocumentRow> = {}): DocumentRow {
  return {
    organization,
    id: newId(),
    customId: null,
    tags: ['tag'],
    metadata: null,
    stage: 'done',
    error: null,
    contentVersion: 1,
    title: null,
    summary: null,
    type: 'text',
    url: null,
    source: 'api',
    filepath: null,
    taskType: 'memory',
    documentDate: null,
    language: null,
    author: null,
    canonicalUrl: null,
    vectorSpaces: [],
    createdAt: 1_767_322_800_000,
    updatedAt: 1_767_322_800_000,
    revision: 3,
    ...changes,
  };
}

export function units(kind: UnitKind, texts: readonly string[]): Unit[] {
  return texts.map((text, ordinal) => ({ id: newId(), kind, ordinal, text, speaker: null }));
}

/** The same texts as chunks and as memories, by words alone. */
export function unitSet(...texts: readonly string[]): UnitSet {
  return { units: [...units('chunk', texts), ...units('memory', texts)], header: '', vectors: null };
}

/** A vector of 32 dimensions that points mostly into one of them. */
export function direction(axis: number): Float32Array {
  const vector = new Float32Array(32).fill(0.01);
  vector[axis % 32] = 1;
  const length = Math.hypot(...vector);
  return vector.map((component) => component / length);
}

/** A unit set with a vector a unit: `axes[i]` belongs to the i-th text, as chunk and as memory. */
export function embedded(texts: readonly string[], axes: readonly number[]): UnitSet {
  const set = unitSet(...texts);
  const vectors = set.units.map(({ ordinal }) => {
    const vector = quantize(direction(axes[ordinal] as number));
    return { bare: vector, wide: vector };
  });
  return { ...set, vectors };
}

/** The same units with vectors of a second space too. */
export function withSecond(set: UnitSet, axes: readonly number[]): UnitSet {
  const { vectors } = embedded(
    set.units.filter(({ kind }) => kind === 'memory').map(({ text }) => text),
    axes,
  );
  return { ...set, second: vectors as readonly IndexedUnitVectors[] };
}

/** As {@link embedded}, of turns: the speaker is named before the colon. */
export function conversation(turns: readonly string[], axes: readonly number[]): UnitSet {
  const set = embedded(turns, axes);
  const units = set.units.map((unit) =>
    unit.kind === 'chunk' ? unit : { ...unit, speaker: unit.text.split(':')[0] as string },
  );
  return { ...set, units };
}

/** As those of spaces whose units share windows: contexts follow from the neighbours, and a chunk has several vectors. */
export function inWindows(set: UnitSet): UnitSet {
  const vectors = set.units.map(({ kind, ordinal }, i) => {
    const bare = set.vectors?.[i]?.bare ?? null;
    if (bare === null) return null;
    if (kind === 'memory') return { bare, wide: null, tokens: ordinal + 1 };
    return { bare, wide: null, others: [quantize(direction(ordinal + 10)), quantize(direction(ordinal + 20))] };
  });
  return { ...set, vectors };
}

export const upsert = (document: DocumentRow, set?: UnitSet | UnitChanges): DocumentChange => ({
  kind: 'upsert',
  row: document,
  ...(set === undefined ? {} : { units: set }),
});

export const removal = ({ organization, id, revision }: DocumentRow): DocumentChange => ({
  kind: 'delete',
  organization,
  id,
  revision,
});

export function anyDocument(organization: OrganizationId, tags: DocumentQuery['scope']['tags'] = 'all'): DocumentQuery {
  return { scope: { organization, tags }, filter: null, filepath: null };
}

export function listOf(query: DocumentQuery, changes: Partial<DocumentListQuery> = {}): DocumentListQuery {
  return {
    ...query,
    stages: null,
    sort: 'createdAt',
    order: 'desc',
    offset: 0,
    limit: 1000,
    ...changes,
  };
}

export function searchFor(
  question: string,
  query: DocumentQuery,
  changes: Partial<UnitSearchQuery> = {},
): UnitSearchQuery {
  return { ...query, kind: 'memory', question, vectors: [], documentId: null, limit: 1000, ...changes };
}

/** Ids of the documents that a search finds, each once, in the order of their best unit. */
export async function foundBy(reader: ViewsReader, query: UnitSearchQuery): Promise<string[]> {
  return [...new Set((await reader.search(query)).map(({ document }) => document.id))];
}

/** Rows of one stream, one for each of the values, all of one revision. */
export function rowsAt(
  organization: OrganizationId,
  stream: string,
  revision: number,
  values: readonly RowValues[],
  { floor = null, tags = ['tag'] }: { readonly floor?: number | null; readonly tags?: readonly string[] } = {},
): RowsChange {
  const rows = values.map((each) => ({ stream, revision, organization, tags, values: each }));
  return { kind: 'rows', model: SHELVES.name, stream, floor, rows };
}

export function rowsOf(organization: OrganizationId, changes: Partial<RowQuery> = {}): RowQuery {
  return {
    ...{ model: SHELVES.name, scope: { organization, tags: 'all' }, equals: {}, sort: null, order: 'asc' },
    ...{ offset: 0, limit: 1000, ...changes },
  };
}
