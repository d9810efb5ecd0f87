import type { Engines } from './engines.ts';

/** One line of the table. */
export interface Row {
  readonly what: string;
  readonly measured: string;
  readonly target: string;
  /** Null without a target or measurement. */
  readonly met: boolean | null;
}

export interface Outcome {
  readonly rows: readonly Row[];
  /** All figures behind the rows, as JSON. */
  readonly raw: unknown;
}

export interface BenchOptions {
  /** Smaller loads, to test the tool. */
  readonly quick: boolean;
  readonly progress: (text: string) => void;
}

export interface Bench {
  readonly name: string;
  /** Runs only if named by `--only`. */
  readonly onRequest?: boolean;
  run(options: BenchOptions): Promise<Outcome>;
}

/** A benchmark on distributed engines, which are started before it. */
export interface EngineBench {
  readonly name: string;
  run(options: BenchOptions, engines: Engines): Promise<Outcome>;
}

/** The benchmark cannot run here; the table shows the reason. */
export class SkippedError extends Error {
  override readonly name = 'SkippedError';
}

/** Throws for an unexpected status, which would invalidate the figures. */
export function expectStatus(status: number, expected: number, what: string): void {
  if (status !== expected) throw new Error(`${what} returned ${status}`);
}
