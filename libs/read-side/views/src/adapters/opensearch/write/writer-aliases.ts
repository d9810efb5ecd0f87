import type { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import { FencedError } from '../errors.ts';
import type { IndexName } from '../mappings.ts';

/** Indices whose rows a writer writes through aliases of its own. */
const WRITTEN = ['documents', 'units'] as const satisfies readonly IndexName[];

/**
 * Adds the aliases through which the writer with this fencing token writes, and removes those of all earlier ones: what one
 * of them sends later, e.g. after a pause, OpenSearch refuses.
 * @throws ViewsMissingError; FencedError if a writer with a higher fencing token was here, whose aliases stay
 */
export async function takeWriterAliases(connection: Connection, aliases: Aliases, fencingToken: number): Promise<void> {
  const names = WRITTEN.map((name) => aliases.of(name));
  const found = await connection.call<Record<string, { readonly aliases: Readonly<Record<string, unknown>> }>>({
    ...{ method: 'GET', path: `/${names.join()}/_alias` },
  });
  const former = Object.entries(found).flatMap(([index, { aliases: all }]) =>
    Object.keys(all)
      .filter((alias) => aliases.isOfWriter(alias))
      .map((alias) => ({ index, alias })),
  );
  const last = Math.max(0, ...former.map(({ alias }) => aliases.writerOf(alias)));
  if (last > fencingToken) {
    throw new FencedError(`a writer with fencing token ${last} has taken over from the one with ${fencingToken}`);
  }
  const remove = former.map((each) => ({ remove: each }));
  const add = Object.entries(found).flatMap(([index, { aliases: all }]) =>
    WRITTEN.filter((name) => aliases.of(name) in all).map((name) => ({
      add: { index, alias: aliases.ofWriter(fencingToken, name) },
    })),
  );
  await connection.call({ method: 'POST', path: '/_aliases', body: { actions: [...remove, ...add] } });
}
