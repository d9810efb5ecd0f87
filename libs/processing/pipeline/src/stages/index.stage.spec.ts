import { index } from './index.stage.ts';
import type { StageWork } from './stage.ts';

const message = { organization: 'o', documentId: 'd', contentVersion: 1, cause: { position: '70-event' } };

/** What the stage does with a message whose event the views do not reach in time. */
const outcomeOf = (isHeld: boolean) =>
  index.run(
    { message } as unknown as StageWork,
    { progress: { reached: async () => false }, head: async () => null, holds: async () => isHeld } as never,
  );

test('a message is tried again while the views are behind its event, and dropped if the log does not hold the event', async () => {
  expect(await outcomeOf(true)).toMatchObject({ kind: 'retry' });
  expect(await outcomeOf(false)).toEqual({ kind: 'recorded' });
});
