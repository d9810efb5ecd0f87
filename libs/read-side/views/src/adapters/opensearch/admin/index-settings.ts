import type { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import { INDEX_NAMES } from '../mappings.ts';
import { ERASING } from './indices.ts';
import { rowModels } from './row-indices.ts';

type IndexSettings = Record<string, { readonly settings: Readonly<Record<string, string>> }>;

/** Settings of indices by their full names, e.g. `index.number_of_shards`. @param indices aliases, separated by commas */
export const settingsOf = (connection: Connection, indices: string): Promise<IndexSettings> =>
  connection.call({ method: 'GET', path: `/${indices}/_settings`, query: { flat_settings: true } });

/**
 * Gives existing indices the settings that can change, and more replicas if they have fewer. Never fewer replicas:
 * somebody may have added them.
 */
export async function applySettings(
  connection: Connection,
  aliases: Aliases,
  { replicas = 0 }: { readonly replicas?: number },
): Promise<void> {
  const found = await settingsOf(connection, (await everyAlias(connection, aliases)).join());
  for (const [index, { settings }] of Object.entries(found)) {
    const lacks = Object.entries(ERASING).filter(([name, value]) => settings[`index.${name}`] !== String(value));
    const more = Number(settings['index.number_of_replicas']) < replicas;
    const wanted = { ...Object.fromEntries(lacks), ...(more && { number_of_replicas: replicas }) };
    if (Object.keys(wanted).length === 0) continue;
    await connection.call({ method: 'PUT', path: `/${index}/_settings`, body: { index: wanted } });
  }
}

/** Aliases of all indices of the views. */
export async function everyAlias(connection: Connection, aliases: Aliases): Promise<readonly string[]> {
  const models = (await rowModels(connection, aliases)).map((model) => aliases.ofModel(model));
  return [...INDEX_NAMES.map((name) => aliases.of(name)), ...models];
}
