import { setTimeout as pause } from 'node:timers/promises';
import type { ModelStatus } from '#ports/models';
import { SpaceChangeError } from '../errors.ts';
import type { ChangeSources, SpaceOptions } from './change-sources.ts';

/** Milliseconds. */
const MODEL_POLL_MS = 250;

/**
 * Waits until the model of a space is ready, or the signal aborts.
 * @throws SpaceChangeError if the model cannot be had, or the space neither serves nor is built any more
 */
export async function modelReady(
  { spaces }: Pick<ChangeSources, 'spaces'>,
  { group, space, embedder, signal }: SpaceOptions,
  onWait: (state: ModelStatus['state']) => void = () => {},
  isReady: () => boolean | Promise<boolean> = () => embedder.status().state === 'ready',
): Promise<void> {
  for (let reported = ''; !signal.aborted && !(await isReady()); ) {
    const status = embedder.status();
    const { serving, coming } = await spaces.load(group);
    if (serving !== space && coming !== space) throw supersededError(serving);
    if (status.state === 'unavailable') {
      throw new SpaceChangeError(`The model of ${space} cannot be had: ${status.reason}`);
    }
    if (status.state !== reported) onWait(status.state);
    reported = status.state;
    await pause(MODEL_POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

export const supersededError = (serving: string): SpaceChangeError =>
  new SpaceChangeError(`Another vector space was requested after this one. ${serving} goes on serving.`);
