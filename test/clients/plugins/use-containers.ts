import { Mneme } from '../../support/mneme.ts';
import { Containers } from './containers.ts';

/** An hour of OpenClaw, and the time of a turn of Claude Code. */
export const MORNING = 8;
export const TIME = '2026-11-27T09:30:00.000Z';

/** Starts a server for the tests of a file, and returns what plugins ask of it. */
export function useContainers(): Containers {
  let mneme: Mneme;
  beforeAll(async () => {
    mneme = await Mneme.start();
  });
  afterAll(() => mneme.stop());
  return new Containers(() => mneme);
}
