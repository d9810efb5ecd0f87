import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Config, loadConfig, readEnvironment } from '#platform/config';
import type { JsonObject } from '#platform/kernel';
import { operateOn } from './operate.ts';

/** Options of every command but `models`. */
export interface Common {
  readonly data?: string;
  readonly json?: boolean;
}

export function configOf({ data }: Common): Config {
  const { config } = loadConfig(readEnvironment());
  return data === undefined ? config : { ...config, dataFolder: resolve(data) };
}

/** Yields the lines of an operation until its end or Ctrl+C. */
export async function* lines(name: string, options: Common, input: JsonObject): AsyncIterable<JsonObject> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  // The reader of a pipe may close it early.
  process.stdout.once('error', stop);
  try {
    yield* operateOn(configOf(options), name, input, stopping.signal);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

export const withCommon = (command: Command): Command =>
  command
    .option('--data <folder>', 'data folder (default: MNEME_DATA, or ./data)')
    .option('--json', 'print JSON lines');
