import { Aliases } from '../aliases.ts';
import type { Body, Connection } from '../connection.ts';
import { EngineRefusalError, ViewsMissingError, ViewsShapeError } from '../errors.ts';
import { INDEX_NAMES, type IndexName, mappingOf, shapeOf, vectorMapping } from '../mappings.ts';
import { hasVectorsOf } from '../terms.ts';

export interface IndexOptions {
  /** Prefix of all index and alias names: lower case, no wildcards. */
  readonly prefix: string;
  /** Shards of all indices but meta. Default: 1. */
  readonly shards?: number;
  /** Default: 0. */
  readonly replicas?: number;
  /** Vector space of views that are created. */
  readonly space?: string;
}

/**
 * Settings of every index that let a merge remove all deleted rows. With the defaults it leaves segments alone of which
 * fewer than a tenth are deleted, and copies confirm deletions to each other every six hours only.
 */
export const ERASING = {
  'merge.policy.expunge_deletes_allowed': 0,
  'soft_deletes.retention_lease.period': '1m',
} as const;

/** Creates missing indices. @throws ViewsShapeError if an index has another shape */
export async function prepareIndices(connection: Connection, options: IndexOptions): Promise<void> {
  const aliases = new Aliases(options.prefix);
  for (const name of INDEX_NAMES) {
    const found = await foundShapes(connection, aliases.of(name));
    if (found.length === 0) await createIndex(connection, aliases, name, options);
    else requireShape(name, found);
  }
}

/** @throws ViewsShapeError; ViewsMissingError if there are none yet */
export async function checkIndices(connection: Connection, aliases: Aliases): Promise<void> {
  for (const name of INDEX_NAMES) {
    const found = await foundShapes(connection, aliases.of(name));
    if (found.length === 0) throw new ViewsMissingError(`the views are not there: no index ${aliases.of(name)}`);
    requireShape(name, found);
  }
}

/** Deletes the indices behind an alias. */
export async function deleteBehind(connection: Connection, alias: string): Promise<void> {
  const found = await foundShapes(connection, alias);
  await deleteIndices(
    connection,
    found.map(({ index }) => index),
  );
}

/** Deletes indices by their own names; a missing one is no error. */
export async function deleteIndices(connection: Connection, indices: Iterable<string>): Promise<void> {
  for (const index of indices) {
    await connection.call({ method: 'DELETE', path: `/${index}`, query: { ignore_unavailable: true } });
  }
}

/**
 * Adds the fields and the alias of a vector space. Idempotent. @throws EngineRefusalError for other dimensions than
 * before
 */
export async function addSpace(
  connection: Connection,
  aliases: Aliases,
  space: string,
  dimensions: number,
): Promise<void> {
  const units = aliases.of('units');
  await connection.call({ method: 'PUT', path: `/${units}/_mapping`, body: vectorMapping(space, dimensions) });
  const [behind] = await foundShapes(connection, units);
  if (behind === undefined) throw new ViewsMissingError(`the views are not there: no index ${units}`);
  const filter = hasVectorsOf([space]);
  const actions = [{ add: { index: behind.index, alias: aliases.ofSpace(space), filter } }];
  await connection.call({ method: 'POST', path: '/_aliases', body: { actions } });
}

/** Returns the vector space that the views were created for. Null: unknown. @throws ViewsMissingError */
export async function readVectorSpace(connection: Connection, aliases: Aliases): Promise<string | null> {
  const [meta] = await foundShapes(connection, aliases.of('meta'));
  if (meta === undefined) throw new ViewsMissingError(`the views are not there: no index ${aliases.of('meta')}`);
  return meta.space;
}

interface FoundShape {
  readonly index: string;
  readonly shape: string;
  readonly space: string | null;
}

export async function foundShapes(connection: Connection, alias: string): Promise<readonly FoundShape[]> {
  try {
    const found = await connection.call<Record<string, { mappings: { _meta?: { shape?: string; space?: string } } }>>({
      ...{ method: 'GET', path: `/${alias}/_mapping` },
    });
    return Object.entries(found).map(([index, { mappings }]) => {
      const { shape = 'unknown', space = null } = mappings._meta ?? {};
      return { index, shape, space };
    });
  } catch (error) {
    if (error instanceof ViewsMissingError) return [];
    throw error;
  }
}

function requireShape(name: IndexName, found: readonly FoundShape[]): void {
  for (const { index, shape } of found) {
    if (shape !== shapeOf(name)) throw new ViewsShapeError(index, shape, shapeOf(name));
  }
}

async function createIndex(
  connection: Connection,
  aliases: Aliases,
  name: IndexName,
  options: IndexOptions,
): Promise<void> {
  await createBehind(connection, aliases.of(name), options, {
    mappings: mappingOf(name, name === 'meta' ? options.space : undefined),
    ...(name === 'meta' && { shards: 1 }),
    // The source that the plug-in derives from its vectors is incomplete after a restart.
    ...(name === 'units' && { settings: { knn: true, 'knn.derived_source.enabled': false } }),
  });
}

interface IndexContent {
  readonly mappings: Body;
  readonly shards?: number;
  readonly settings?: Body;
}

/** Creates the first index behind an alias. */
export async function createBehind(
  connection: Connection,
  alias: string,
  { shards = 1, replicas = 0 }: IndexOptions,
  { mappings, settings, ...own }: IndexContent,
): Promise<void> {
  const body: Body = {
    settings: {
      index: {
        number_of_shards: own.shards ?? shards,
        number_of_replicas: replicas,
        // The writer refreshes by itself, so that half a batch is never found.
        refresh_interval: '-1',
        ...ERASING,
        ...settings,
      },
    },
    mappings,
    aliases: { [alias]: { is_write_index: true } },
  };
  try {
    await connection.call({ method: 'PUT', path: `/${alias}-1`, body });
  } catch (error) {
    // Another process has created it.
    if (!(error instanceof EngineRefusalError) || error.type !== 'resource_already_exists_exception') throw error;
  }
}
