import type { RowTable } from '../../../rows.ts';
import type { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import { rowMappingOf, rowShapeOf } from '../mappings.ts';
import { createBehind, deleteBehind, foundShapes, type IndexOptions } from './indices.ts';

/** Whether there is an index of this shape for the rows of a read model. */
export async function hasRowIndex(connection: Connection, aliases: Aliases, table: RowTable): Promise<boolean> {
  const found = await foundShapes(connection, aliases.ofModel(table.name));
  return found.length > 0 && found.every(({ shape }) => shape === rowShapeOf(table));
}

/** Creates the index of a read model, empty, in the place of one of another shape. */
export async function createRowIndex(
  connection: Connection,
  aliases: Aliases,
  table: RowTable,
  options: IndexOptions,
): Promise<void> {
  const alias = aliases.ofModel(table.name);
  await deleteBehind(connection, alias);
  await createBehind(connection, alias, options, { mappings: rowMappingOf(table) });
}

/** Deletes the indices of read models that do not exist any more. */
export async function removeRowIndices(
  connection: Connection,
  aliases: Aliases,
  present: ReadonlySet<string>,
): Promise<void> {
  for (const model of await rowModels(connection, aliases)) {
    if (!present.has(model)) await deleteBehind(connection, aliases.ofModel(model));
  }
}

/** Names of the read models that have an index. */
export async function rowModels(connection: Connection, aliases: Aliases): Promise<readonly string[]> {
  const every = aliases.ofModel('*');
  const found = await connection.call<Record<string, { readonly aliases: Readonly<Record<string, unknown>> }>>({
    ...{ method: 'GET', path: `/_alias/${every}` },
  });
  const names = Object.values(found).flatMap((index) => Object.keys(index.aliases));
  const start = aliases.ofModel('');
  return [...new Set(names.filter((alias) => alias.startsWith(start)).map((alias) => alias.slice(start.length)))];
}
