import { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import { INDEX_NAMES } from '../mappings.ts';
import { deleteIndices } from './indices.ts';

/** What `rebuildPrefix` puts behind a prefix. */
const REBUILD = /^-rebuild-[a-z0-9]{22}(?=-)/;

/**
 * Deletes what rebuilds of the views of a prefix have written that did not take over; one that runs loses its own too.
 * Those that serve have given up the aliases under which they were written.
 */
export async function removeRebuilds(connection: Connection, prefix: string): Promise<void> {
  // Checked: a prefix with a wildcard would name more than is ours.
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
