import { setTimeout as pause } from 'node:timers/promises';
import { hasCode } from '#platform/kernel';
import type { EventStore } from '#ports/event-store';
import type { ViewsReader } from '#read-side/views';
import type { GroupEmbedder } from './group-embedder.ts';
import { LANGUAGES_GROUP, type SpaceGroup, VECTOR_SPACE_CATEGORY } from './groups.ts';
import type { SpaceEmbedders } from './space-embedders.ts';
import type { GroupSpaces, VectorSpaces } from './vector-spaces.ts';

/** While the log has selected a space and the views are not of it yet. Milliseconds. */
const POLL_MS = 100;
/** Pause after a fault. Milliseconds. */
const PAUSE_MS = 1_000;
/** Time that the process which selected a space has to put its views in place. Milliseconds. */
const SWITCH_TAKES_MS = 15_000;

export interface FollowSources {
  readonly storage: { readonly store: Pick<EventStore, 'head' | 'subscribe'> };
  readonly spaces: Pick<VectorSpaces, 'load'>;
  readonly views: {
    readonly reader: Pick<ViewsReader, 'vectorSpace'>;
    rebuild(options: { readonly onProgress: () => void; readonly signal: AbortSignal }): Promise<boolean>;
  };
}

export interface FollowOptions {
  readonly logger: { warn(message: string, cause?: unknown): void };
  readonly signal: AbortSignal;
}

/** The space in which the views can be searched. Views that name none are of the initial one. */
export const spaceOfViews = async (views: Pick<ViewsReader, 'vectorSpace'>, group: SpaceGroup): Promise<string> =>
  (await views.vectorSpace()) ?? group.initialSpace;

/**
 * Keeps the models of a group to the spaces in use: the views' space serves, and the model of the space that is to follow
 * it is loaded before that. Ends with the signal only.
 */
export async function followGroup(
  sources: FollowSources,
  embedder: GroupEmbedder,
  options: FollowOptions,
): Promise<void> {
  const { group } = embedder;
  await eachChange(sources, group, options, async ({ serving, coming }) => {
    const searched = await spaceOfViews(sources.views.reader, group);
    embedder.serve(searched);
    embedder.prepare(coming ?? serving);
    return searched === serving;
  });
}

/** Keeps the models for other languages to the spaces that the log has selected and begun for them. Ends with the signal only. */
export async function followLanguages(
  sources: FollowSources,
  embedders: SpaceEmbedders,
  options: FollowOptions,
): Promise<void> {
  const group = embedders.of(LANGUAGES_GROUP);
  await eachChange(sources, LANGUAGES_GROUP, options, async ({ serving, coming, choices }) => {
    if (choices > 0) group.serve(serving);
    group.prepare(coming);
    if (choices > 0 || coming !== null) embedders.usesLanguages = true;
    return true;
  });
}

/**
 * Rebuilds the views in the space that the log has selected, if the process that selected it ended before they were in
 * place. Ends with the signal only.
 */
export async function keepToSelectedSpace(
  sources: FollowSources,
  group: SpaceGroup,
  options: FollowOptions & {
    readonly logger: { info(message: string): void };
    /** Resolves when the process that selected a space has had its time. Default: 15 seconds. */
    readonly switchTime?: (signal: AbortSignal) => Promise<unknown>;
  },
): Promise<void> {
  const { signal, logger, switchTime = waitForSwitch } = options;
  const { spaces, views } = sources;
  await eachChange(sources, group, options, async ({ serving }) => {
    const isDone = async () => (await spaceOfViews(views.reader, group)) === serving;
    if (await isDone()) return true;
    await switchTime(signal);
    // Another space may have been selected since, which has its own time.
    if ((await spaces.load(group)).serving !== serving || (await isDone())) return false;
    logger.info(`the views are rebuilt in the vector space ${serving}`);
    await views.rebuild({ onProgress: () => {}, signal });
    return false;
  });
}

const waitForSwitch = (signal: AbortSignal) => pause(SWITCH_TAKES_MS, undefined, { signal, ref: false });

/** Calls `settle` at the start and after each change, and again until it returns true. */
async function eachChange(
  { storage: { store }, spaces }: FollowSources,
  group: SpaceGroup,
  { logger, signal }: FollowOptions,
  settle: (state: GroupSpaces) => Promise<boolean>,
): Promise<void> {
  const filter = { categories: [VECTOR_SPACE_CATEGORY] };
  let reported = false;
  while (!signal.aborted) {
    try {
      const after = await store.head();
      await settled();
      reported = false;
      for await (const _ of store.subscribe({ after, filter, envelopesOnly: true, signal })) await settled();
    } catch (error) {
      if (signal.aborted) return;
      // Once for each outage. Views that were never built are no fault.
      if (!reported && !hasCode(error, 'views_missing')) {
        logger.warn(`the vector space cannot be read for now: ${String(error)}`, error);
        reported = true;
      }
      await pause(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async function settled(): Promise<void> {
    while (!signal.aborted && !(await settle(await spaces.load(group)))) {
      await pause(POLL_MS, undefined, { signal, ref: false });
    }
  }
}
