import type { EngineSettings } from './settings.ts';

/**
 * Returns how much of the states of documents in work is kept in memory, as `createFoldCache` counts it, in a process and
 * again in its projection. A short document that waits takes 900 to 1,600, so this holds 5,000 to 9,000 of them, or four times
 * as many where the log is on a server: the stages read no stream of those, and any other one takes requests.
 */
export const keptInWork = ({ eventStoreUrl }: Pick<EngineSettings, 'eventStoreUrl'>): number =>
  eventStoreUrl === null ? 8_000_000 : 32_000_000;
