import { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import { INDEX_NAMES } from '../mappings.ts';
import { deleteIndices } from './indices.ts';

/** Suffix that `rebuildPrefix` adds. */
const REBUILD = /^-rebuild-[a-z0-9]{22}(?=-)/;

/**
 * Deletes the indices of rebuilds that did not replace the views of a prefix, including those of a running one. Indices
 * that serve have given up the aliases under which they were written.
 */
export async function removeRebuilds(connection: Connection, prefix: string): Promise<void> {
  // Checks the prefix: a wildcard would match indices of others.
  new Aliases(prefix);
  const found = await connection.call<Record<string, { readonly aliases: Readonly<Record<string, unknown>> }>>({
    ...{ method: 'GET', path: `/${prefix}-rebuild-*/_alias` },
  });
  const left = Object.entries(found).filter(([index, { aliases }]) => {
    const [end] = REBUILD.exec(index.slice(prefix.length)) ?? [];
    const own = end && new Aliases(prefix + end);
    if (!own) return false;
    const models = own.ofModel('');
    const isOwn = (alias: string) => alias.startsWith(models) || INDEX_NAMES.some((name) => alias === own.of(name));
    return Object.keys(aliases).some(isOwn);
  });
  await deleteIndices(
    connection,
    left.map(([index]) => index),
  );
}
