import type { Random } from '../random.ts';
import type { ServerProcess } from './server-process.ts';

/** Something that goes wrong for a limited time. */
export interface Fault {
  readonly name: string;
  /** How often it is chosen, in proportion to the others. */
  readonly weight: number;
  /** Causes the fault and ends it. What it has broken recovers without further help. */
  run(random: Random): Promise<void>;
}

/** A running Mneme, its engines included, and what can go wrong with it. */
export interface Installation {
  /** Of the set-up. */
  readonly name: string;
  readonly processes: readonly ServerProcess[];
  /** Those of the processes that answer requests. */
  readonly apis: readonly ServerProcess[];
  readonly faults: readonly Fault[];
  /** Runs `mneme ARGS`. Returns null if it succeeds, else its output. */
  command(...args: readonly string[]): Promise<string | null>;
  /** Folders in which content is stored as plain text. */
  readonly folders: readonly string[];
  /** Ends all processes and engines, and removes their data. */
  remove(): Promise<void>;
}
