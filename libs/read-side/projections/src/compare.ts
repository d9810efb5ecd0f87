import { isDeepStrictEqual } from 'node:util';
import type { OrganizationId, Scope } from '#platform/kernel';
import type { DocumentRow, Unit, UnitHit, UnitKind, ViewsReader } from '#read-side/views';
import { compareRows } from './compare-rows.ts';
import type { ReadModel } from './read-model.ts';
import { READ_MODELS } from './read-models/index.ts';

/** The first difference between two views of the same log. */
export interface Difference {
  readonly organization: string;
  /** For rows of a read model: name of the stream. */
  readonly documentId: string;
  /**
   * Field of the row; or `units.chunk`, `units.memory`; or `index.chunk`, `index.memory`: what a search finds of it; or
   * `rows.<read model>`.
   */
  readonly field: string;
  /** As short text. Null: absent. */
  readonly serving: string | null;
  readonly rebuilt: string | null;
}

export interface CompareOptions {
  readonly serving: ViewsReader;
  readonly rebuilt: ViewsReader;
  readonly organizations: readonly OrganizationId[];
  /** Default: all. */
  readonly models?: readonly ReadModel[];
  /** Resolves when both hold everything that is in the log by now. */
  level(): Promise<void>;
  readonly onProgress: (documents: number) => void;
  readonly signal: AbortSignal;
}

const PAGE = 200;
const KINDS: readonly UnitKind[] = ['chunk', 'memory'];
/** Ordinals in one request. */
const UNITS = 500;
/** Documents whose index entries are compared, spread over all: each such search scans the documents of its tags. */
const ASKED = 500;
/**
 * Comparisons until a difference counts: one that comes from different positions in the log disappears once both are
 * level.
 */
const LOOKS = 3;
const SHOWN = 240;

/**
 * Compares rows and units of every document, and for a share of them what a search finds: which units, how well their
 * words match, and whether each has its vectors.
 * @returns null: there is no difference
 */
export async function compareViews(options: CompareOptions): Promise<Difference | null> {
  const { serving, rebuilt } = options;
  let done = 0;
  for (const organization of options.organizations) {
    const scope: Scope = { organization, tags: 'all' };
    const step = Math.max(1, Math.ceil((await countOf(rebuilt, scope)) / ASKED));
    for await (const { ids, offset } of pagesOf(rebuilt, scope)) {
      for (const [i, id] of ids.entries()) {
        if (options.signal.aborted) return null;
        const difference = await lastingDifference(options, scope, id, (offset + i) % step === 0);
        if (difference !== null) return difference;
      }
      done += ids.length;
      options.onProgress(done);
    }
    for (const { table } of options.models ?? READ_MODELS) {
      const difference = table && (await lastingRowDifference(options, scope, table.name));
      if (difference) return difference;
    }
    // Documents that only the serving views have.
    for await (const { ids } of pagesOf(serving, scope)) {
      const known = new Set((await rebuilt.documents(scope, ids)).map(idOf));
      for (const id of ids.filter((one) => !known.has(one))) {
        const difference = await lastingDifference(options, scope, id, false);
        if (difference !== null) return difference;
      }
    }
  }
  return null;
}

const idOf = ({ id }: DocumentRow): string => id;

const LIST = {
  holds: 'both',
  filter: null,
  filepath: null,
  stages: null,
  sort: 'createdAt',
  order: 'asc',
} as const;

async function* pagesOf(views: ViewsReader, scope: Scope) {
  for (let offset = 0; ; offset += PAGE) {
    const { rows } = await views.list({ ...LIST, scope, offset, limit: PAGE });
    yield { ids: rows.map(idOf), offset };
    if (rows.length < PAGE) return;
  }
}

const countOf = async (views: ViewsReader, scope: Scope): Promise<number> =>
  (await views.list({ ...LIST, scope, offset: 0, limit: 1 })).total;

async function lastingRowDifference(
  { serving, rebuilt, level }: CompareOptions,
  scope: Scope,
  model: string,
): Promise<Difference | null> {
  for (let look = 1; ; look += 1) {
    const found = await compareRows(serving, rebuilt, scope, model);
    if (found === null) return null;
    if (look === LOOKS) {
      const values = { serving: shown(found.serving), rebuilt: shown(found.rebuilt) };
      return { organization: scope.organization, documentId: found.stream, field: `rows.${model}`, ...values };
    }
    await level();
  }
}

async function lastingDifference(
  options: CompareOptions,
  scope: Scope,
  id: string,
  withIndex: boolean,
): Promise<Difference | null> {
  for (let look = 1; ; look += 1) {
    const found = await differenceOf(options, scope, id, withIndex);
    if (found === null || look === LOOKS) return found;
    await options.level();
  }
}

async function differenceOf(
  { serving, rebuilt }: CompareOptions,
  scope: Scope,
  id: string,
  withIndex: boolean,
): Promise<Difference | null> {
  const differs = (field: string, a: unknown, b: unknown): Difference | null => {
    if (isDeepStrictEqual(a, b)) return null;
    const [served, wanted] = firstDifferent(a, b);
    return { organization: scope.organization, documentId: id, field, serving: shown(served), rebuilt: shown(wanted) };
  };
  const [[a], [b]] = await Promise.all([serving.documents(scope, [id]), rebuilt.documents(scope, [id])]);
  if (a === undefined || b === undefined) return differs('id', a?.id ?? null, b?.id ?? null);
  for (const field of Object.keys(b) as (keyof DocumentRow)[]) {
    const found = differs(field, a[field], b[field]);
    if (found !== null) return found;
  }
  for (const kind of KINDS) {
    const [before, after] = await Promise.all([unitsOf(serving, scope, id, kind), unitsOf(rebuilt, scope, id, kind)]);
    const units = differs(`units.${kind}`, before, after);
    if (units !== null) return units;
    const first = after[0];
    if (!withIndex || first === undefined) continue;
    const [old, renewed] = await Promise.all([
      found(serving, scope, b, first, after.length),
      found(rebuilt, scope, b, first, after.length),
    ]);
    const index = differs(`index.${kind}`, old, renewed);
    if (index !== null) return index;
  }
  return null;
}

async function unitsOf(views: ViewsReader, scope: Scope, documentId: string, kind: UnitKind): Promise<readonly Unit[]> {
  const all: Unit[] = [];
  for (let from = 0; ; from += UNITS) {
    const ordinals = Array.from({ length: UNITS }, (_, i) => from + i);
    const page = await views.units(scope, [{ documentId, kind, ordinals }]);
    all.push(...page.map(({ unit }) => unit));
    if (page.length < UNITS) return all;
  }
}

/** Searches for a unit's own words in its document. Any vector shows whether there are vectors. */
async function found(views: ViewsReader, scope: Scope, { id, vectorSpaces }: DocumentRow, unit: Unit, limit: number) {
  const [first = [], ...others] = vectorSpaces.map((space) => [{ space, values: someVector(space) }]);
  const found: ReturnType<typeof evidenceOf>[] = [];
  // A search compares a document in one space.
  for (const vectors of [first, ...others]) {
    const hits = await views.search({
      ...{ scope, filter: null, filepath: null, documentId: id, kind: unit.kind, limit },
      question: unit.text.slice(0, 200),
      vectors,
    });
    found.push(...hits.map(evidenceOf).sort((a, b) => a.ordinal - b.ordinal));
  }
  return found;
}

const evidenceOf = ({ unit, evidence }: UnitHit) => ({ ordinal: unit.ordinal, id: unit.id, ...evidence });

/** Of unit length; the name of a space ends in its dimensions. */
function someVector(space: string): Float32Array {
  const dimensions = Number(space.split(/[./]/).at(-1));
  return new Float32Array(dimensions).fill(1 / Math.sqrt(dimensions));
}

/** Returns the first elements of two lists that differ, or the values themselves. */
function firstDifferent(a: unknown, b: unknown): readonly [unknown, unknown] {
  if (!Array.isArray(a) || !Array.isArray(b)) return [a, b];
  let i = 0;
  while (i < Math.max(a.length, b.length) && isDeepStrictEqual(a[i], b[i])) i += 1;
  return [a[i], b[i]];
}

function shown(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
