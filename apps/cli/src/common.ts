import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Config, loadConfig, readEnvironment } from '#platform/config';
import type { JsonObject } from '#platform/kernel';
import { operateOn } from './operate.ts';
import { type Bar, jsonLine, progressBar } from './output.ts';

/** Options of every command but `models`. */
export interface CommonOptions {
  readonly data?: string;
  readonly json?: boolean;
}

export function configOf({ data }: CommonOptions): Config {
  const { config } = loadConfig(readEnvironment());
  return data === undefined ? config : { ...config, dataFolder: resolve(data) };
}

/** Yields the lines of an operation until its end or Ctrl+C. */
export async function* lines(name: string, options: CommonOptions, input: JsonObject): AsyncIterable<JsonObject> {
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

/** Prints each line, as JSON with `--json`, else as text. Returns the number of lines. */
export async function print(
  name: string,
  options: CommonOptions,
  input: JsonObject,
  textOf: (line: JsonObject) => string,
): Promise<number> {
  let count = 0;
  for await (const line of lines(name, options, input)) {
    count += 1;
    if (options.json) jsonLine(process.stdout, line);
    else process.stdout.write(`${textOf(line)}\n`);
  }
  return count;
}

/** Shows the progress of a long operation and returns its last line; exit code 1 if it was aborted. */
export async function follow(
  name: string,
  options: CommonOptions,
  input: JsonObject,
  { unit, show }: { readonly unit: string; show(line: JsonObject, bar: Bar): void },
): Promise<JsonObject> {
  let last: JsonObject = { done: false };
  const bar = progressBar(process.stderr, unit);
  for await (const line of lines(name, options, input)) {
    last = line;
    if (options.json) jsonLine(process.stdout, line);
    else if (line.phase !== 'done') show(line, bar);
  }
  bar.end();
  if (last.done !== true) process.exitCode = 1;
  return last;
}

export const withCommon = (command: Command): Command =>
  command
    .option('--data <folder>', 'data folder (default: MNEME_DATA, or ./data)')
    .option('--json', 'print JSON lines');
