import type { JsonObject } from '#kernel';
import { e5SmallV2 } from '#models';
import { compareViews, type Difference, type Written } from '#projections';
import type { ViewsReader } from '#views';
import { Lines } from './lines.ts';
import { organizationsOf } from './log.ts';
import { type OperationsContext, OperatorError, textOf } from './operation.ts';

const LOOK_EVERY_MS = 500;
const PAGE = 1_000;

/**
 * Makes the views anew beside the serving ones. With `verify` they are compared and thrown away, else they take over. The
 * last line has `done`; with `verify` also `difference`, null where there is none.
 */
export async function* replay(
  { parts }: OperationsContext,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const { storage, views } = parts;
  const organizations = await organizationsOf(storage.store);
  const documents = await countDocuments(views.reader, organizations);
  const lines = new Lines<JsonObject>();
  let difference: Difference | null = null;
  let written: Written = { documents: 0, units: 0 };
  const rebuilt = views.rebuild({
    signal,
    onProgress: (progress) => {
      written = progress;
      lines.put({ phase: 'rebuild', ...progress, of: documents });
    },
    ...(input.verify === true && {
      inspect: async (both) => {
        const onProgress = (compared: number) => lines.put({ phase: 'compare', documents: compared, of: documents });
        difference = await compareViews({ ...both, organizations, onProgress, signal });
        return false;
      },
    }),
  });
  yield* lines.until(rebuilt);
  const result = input.verify === true ? { difference: difference as JsonObject | null } : { switched: await rebuilt };
  yield { phase: 'done', done: !signal.aborted, ...written, ...result };
}

async function countDocuments(views: ViewsReader, organizations: Awaited<ReturnType<typeof organizationsOf>>) {
  let count = 0;
  for (const organization of organizations) {
    const { total } = await views.list({
      ...{ scope: { organization, tags: 'all' }, filter: null, filepath: null, source: null, customId: null },
      ...{ stages: null, sort: 'createdAt', order: 'asc', offset: 0, limit: 1 },
    });
    count += total;
  }
  return count;
}

/**
 * Sees to it that every document that is done has vectors of the space `name`. The server embeds what lacks them; vectors
 * that are cached are not made again.
 */
export async function* rebuildVectorSpace(
  { parts, server, config }: OperationsContext,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const name = textOf(input.name);
  const known = [e5SmallV2].find((model) => model.name === name || model.space.name === name);
  if (known === undefined) {
    throw new OperatorError(
      `There is no vector space ${name}; known is ${e5SmallV2.space.name} (model ${e5SmallV2.name})`,
    );
  }
  if (config.embedding === 'off') throw new OperatorError('Embedding is switched off: MNEME_EMBEDDING is off');
  const space = known.space.name;
  const missing = await countWithout(parts.views.reader, space);
  if (missing > 0 && server === null) {
    throw new OperatorError(`${missing} documents have no vectors of ${space}; start the server, which embeds them`);
  }
  for (let left = missing; left > 0 && !signal.aborted; left = await countWithout(parts.views.reader, space)) {
    yield { phase: 'embed', documents: Math.max(0, missing - left), of: missing };
    await new Promise((next) => setTimeout(next, LOOK_EVERY_MS));
  }
  yield { phase: 'done', done: !signal.aborted, space, embedded: missing };
}

async function countWithout(views: ViewsReader, space: string): Promise<number> {
  let count = 0;
  for (let after: Parameters<ViewsReader['withoutVectors']>[0]['after'] = null; ; ) {
    const page = await views.withoutVectors({ space, after, limit: PAGE });
    count += page.length;
    after = page.at(-1) ?? null;
    if (page.length < PAGE) return count;
  }
}
