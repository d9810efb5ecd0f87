import type { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import { INDEX_NAMES } from '../mappings.ts';
import { ERASING } from './indices.ts';
import { rowModels } from './row-indices.ts';

type FoundSettings = Record<string, { readonly settings: Readonly<Record<string, string>> }>;

/**
 * Gives existing indices the settings that can change, and more replicas if they have fewer. Never fewer replicas: somebody
 * may have added them.
 */
export async function applySettings(
  connection: Connection,
  aliases: Aliases,
  { replicas = 0 }: { readonly replicas?: number },
): Promise<void> {
  const found = await connection.call<FoundSettings>({
    ...{ method: 'GET', path: `/${await everyAlias(connection, aliases)}/_settings`, query: { flat_settings: true } },
  });
  for (const [index, { settings }] of Object.entries(found)) {
    const lacks = Object.entries(ERASING).filter(([name, value]) => settings[`index.${name}`] !== String(value));
    const more = Number(settings['index.number_of_replicas']) < replicas;
    const wanted = { ...Object.fromEntries(lacks), ...(more && { number_of_replicas: replicas }) };
    if (Object.keys(wanted).length === 0) continue;
    await connection.call({ method: 'PUT', path: `/${index}/_settings`, body: { index: wanted } });
  }
}

/** Aliases of all indices of the views, separated by commas. */
async function everyAlias(connection: Connection, aliases: Aliases): Promise<string> {
  const models = (await rowModels(connection, aliases)).map((model) => aliases.ofModel(model));
  return [...INDEX_NAMES.map((name) => aliases.of(name)), ...models].join();
}
