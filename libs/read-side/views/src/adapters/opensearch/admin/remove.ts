import { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import { INDEX_NAMES } from '../mappings.ts';
import { deleteBehind } from './indices.ts';
import { removeRowIndices } from './row-indices.ts';

/** Deletes all views of a prefix; the next writer creates them again, empty. */
export async function removeIndices(connection: Connection, prefix: string): Promise<void> {
  const aliases = new Aliases(prefix);
  await removeRowIndices(connection, aliases, new Set());
  for (const name of INDEX_NAMES) await deleteBehind(connection, aliases.of(name));
}
