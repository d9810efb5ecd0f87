/** The only source of time; tests pass a fixed one. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

export const CLOCK = Symbol('Clock');

export const systemClock: Clock = { now: () => Date.now() };
