import type { Engines } from './engines.ts';

/** One line of the table. */
export interface Row {
  readonly what: string;
  readonly measured: string;
  readonly target: string;
  /** Null: nothing to reach here, or not measured. */
  readonly met: boolean | null;
}

export interface Outcome {
  readonly rows: readonly Row[];
  /** Every figure that the rows were made from, as JSON. */
  readonly raw: unknown;
}

export interface BenchOptions {
  /** Smaller loads: to see that the tool works, not what the server can do. */
  readonly quick: boolean;
  readonly progress: (text: string) => void;
}

export interface Bench {
  readonly name: string;
  /** Runs only when it is named. */
  readonly onRequest?: boolean;
  run(options: BenchOptions): Promise<Outcome>;
}

/** Measured on distributed engines, which run before it begins. */
export interface EngineBench {
  readonly name: string;
  run(options: BenchOptions, engines: Engines): Promise<Outcome>;
}

/** The row cannot be measured here; it is shown with the reason. */
export class SkippedError extends Error {
  override readonly name = 'SkippedError';
}

/** An answer that makes every figure after it worthless. */
export function expectStatus(status: number, expected: number, what: string): void {
  if (status !== expected) throw new Error(`${what} was answered with ${status}`);
}
