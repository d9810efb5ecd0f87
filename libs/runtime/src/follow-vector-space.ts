import { setTimeout as pause } from 'node:timers/promises';
import { hasCode } from '#kernel';
import type { SwitchingEmbedder } from '#models';
import { VECTOR_SPACE_CATEGORY } from '#vector-spaces';
import type { Parts } from './parts.ts';
import { DEFAULT_SPACE } from './vector-space.ts';

/** While the log has selected a space and the views are not there yet. */
const LOOK_EVERY_MS = 100;
const PAUSE_MS = 1_000;
/** How long whoever selected a space may take to put its views in place. */
const SWITCH_TAKES_MS = 15_000;

export interface FollowOptions {
  readonly logger: { warn(message: string): void };
  readonly signal: AbortSignal;
}

/** The space in which the views can be searched. */
const spaceOfViews = async ({ views }: Parts): Promise<string> => (await views.reader.vectorSpace()) ?? DEFAULT_SPACE;

/**
 * Keeps the models of a process to what is searched and what is being built: questions are embedded in the space of the
 * views that answer, and a second space has its model ready before it serves. Ends with the signal, and with nothing else.
 */
export async function followVectorSpaces(
  parts: Parts,
  embedder: SwitchingEmbedder,
  options: FollowOptions,
): Promise<void> {
  await eachChange(parts, options, async ({ serving, coming }) => {
    const searched = await spaceOfViews(parts);
    embedder.serve(searched);
    embedder.prepare(coming ?? serving);
    return searched === serving;
  });
}

/**
 * Brings the views to the space that the log has selected, if whoever selected it ended before they were in place. Ends
 * with the signal, and with nothing else.
 */
export async function keepToSelectedSpace(
  parts: Parts,
  options: FollowOptions & { readonly logger: { info(message: string): void }; readonly switchTakesMs?: number },
): Promise<void> {
  const { signal, logger, switchTakesMs = SWITCH_TAKES_MS } = options;
  await eachChange(parts, options, async ({ serving }) => {
    if ((await spaceOfViews(parts)) === serving) return true;
    await pause(switchTakesMs, undefined, { signal, ref: false });
    // By now another one may have been selected, which has its own time.
    if ((await parts.spaces.load()).serving !== serving || (await spaceOfViews(parts)) === serving) return false;
    logger.info(`the views are made anew in the vector space ${serving}`);
    await parts.views.rebuild({ onProgress: () => {}, signal });
    return false;
  });
}

/** Calls `settle` at the start and after each change, and again until it answers with true. */
async function eachChange(
  { storage: { store }, spaces }: Parts,
  { logger, signal }: FollowOptions,
  settle: (state: Awaited<ReturnType<Parts['spaces']['load']>>) => Promise<boolean>,
): Promise<void> {
  const filter = { categories: [VECTOR_SPACE_CATEGORY] };
  let told = false;
  while (!signal.aborted) {
    try {
      const after = await store.head();
      await settled();
      told = false;
      for await (const _ of store.subscribe({ after, filter, envelopesOnly: true, signal })) await settled();
    } catch (error) {
      if (signal.aborted) return;
      // Once for each outage; and where nobody has made the views yet, there is none.
      if (!told && !hasCode(error, 'views_missing')) {
        logger.warn(`the vector space cannot be told for now: ${String(error)}`);
        told = true;
      }
      await pause(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async function settled(): Promise<void> {
    while (!signal.aborted && !(await settle(await spaces.load()))) {
      await pause(LOOK_EVERY_MS, undefined, { signal, ref: false });
    }
  }
}
