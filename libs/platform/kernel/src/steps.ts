import { giveWay } from './turns.ts';

/** Work that may take long: it yields where other work may go on, and returns its result. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Carries out all steps without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Carries out the steps; other work goes on between them. @param pause lets it */
export async function inTurns<T>(steps: Steps<T>, pause: () => Promise<void> = giveWay): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await pause();
  }
}
