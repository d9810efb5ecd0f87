import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Config, loadConfig, readEnvironment } from '#config';
import type { JsonObject } from '#kernel';
import { operateOn } from './operate.ts';
import { jsonLine, plain, progressBar } from './output.ts';

interface Common {
  readonly data?: string;
  readonly json?: boolean;
}

export function configOf({ data }: Common): Config {
  const { config } = loadConfig(readEnvironment());
  return data === undefined ? config : { ...config, dataFolder: resolve(data) };
}

/** The lines of an operation, until its end or Ctrl+C. */
async function* lines(name: string, options: Common, input: JsonObject): AsyncIterable<JsonObject> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  // Whoever reads our output may have had enough.
  process.stdout.once('error', stop);
  try {
    yield* operateOn(configOf(options), name, input, stopping.signal);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

const { stdout, stderr } = process;

/** Prints each line: as JSON if it is asked for, else in words. */
async function print(name: string, options: Common, input: JsonObject, words: (line: JsonObject) => string) {
  let count = 0;
  for await (const line of lines(name, options, input)) {
    count += 1;
    if (options.json) jsonLine(stdout, line);
    else stdout.write(`${words(line)}\n`);
  }
  return count;
}

const PHASES: Readonly<Record<string, string>> = {
  embed: ' embedded',
  release: ' looked through',
  compare: ' compared',
};

/** Shows the progress of a long operation, and answers with its last line. */
async function follow(name: string, options: Common, input: JsonObject): Promise<JsonObject> {
  let last: JsonObject = { done: false };
  const bar = progressBar(stderr);
  let [begun, told] = [performance.now(), performance.now()];
  for await (const line of lines(name, options, input)) {
    // Each part of the work has its own pace, from the last line of the part before.
    if (last.phase !== undefined && line.phase !== last.phase) begun = told;
    told = performance.now();
    last = line;
    if (options.json) jsonLine(stdout, line);
    else if (line.documents !== undefined && line.phase !== 'done') {
      const seconds = (performance.now() - begun) / 1_000;
      const rate = typeof line.units === 'number' ? `, ${Math.round(line.units / seconds)} units/s` : '';
      bar.show(Number(line.documents), Number(line.of), `${rate}${PHASES[String(line.phase)] ?? ''}`);
    }
  }
  bar.end();
  if (last.done !== true) process.exitCode = 1;
  return last;
}

const eventWords = (event: JsonObject): string =>
  [
    event.at,
    plain(event.type),
    event.documentId ?? event.stream,
    ...['stage', 'attempt', 'code'].flatMap((name) =>
      event[name] === undefined ? [] : [`${name}=${plain(event[name])}`],
    ),
    `by ${plain(event.actor)}`,
    event.position,
  ].join('  ');

const withCommon = (command: Command): Command =>
  command
    .option('--data <folder>', 'data folder (default: MNEME_DATA, or ./data)')
    .option('--json', 'JSON lines instead of words');

interface EventOptions extends Common {
  readonly types?: string;
  readonly document?: string;
  readonly after?: string;
}

const eventInput = ({ types, document, after }: EventOptions): JsonObject => ({ types, document, after });

function addEvents(program: Command): void {
  const events = withCommon(program.command('events'))
    .description('what happened: envelopes of events, never content')
    .option('--document <id>', 'of this document, by id or customId; after its deletion by id')
    .action(async (options: EventOptions, command: Command) => {
      if (options.document === undefined) command.help({ error: true });
      await print('events-export', options, eventInput(options), eventWords);
    });
  withCommon(events.command('tail'))
    .description('follow the log as it grows, until Ctrl+C')
    .option('--types <names>', 'only these types, separated by commas')
    .option('--document <id>', 'only of this document, by id or customId')
    .option('--after <position>', 'first what stands behind this position')
    .action(async (options: EventOptions) => {
      await print('events-tail', options, eventInput(options), eventWords);
    });
  withCommon(events.command('export'))
    .description('the whole log as JSON lines, up to its present end')
    .option('--types <names>', 'only these types, separated by commas')
    .option('--document <id>', 'only of this document, by id or customId')
    .option('--after <position>', 'only what stands behind this position')
    .action(async (options: EventOptions) => {
      await print('events-export', { ...options, json: true }, eventInput(options), eventWords);
    });
}

function addDeadLetters(program: Command): void {
  const letters = program.command('dead-letters').description('what was given up');
  withCommon(letters.command('list'))
    .description('failed documents, and messages that could not be read: which, why, how often')
    .action(async (options: Common) => {
      const count = await print('dead-letters-list', options, {}, ({ id, at, code, why, stage, failures, kind }) =>
        kind === 'document'
          ? `${id}  ${at}  ${plain(stage)}  ${plain(code)}  ${plain(why)}  (failed ${failures} times)`
          : `${plain(id)}  ${at}  message  ${plain(why)}`,
      );
      if (count === 0 && !options.json) stdout.write('Nothing was given up.\n');
    });
  withCommon(letters.command('retry [id]'))
    .description('process a failed document once more, by id or customId; without one, all of them')
    .action(async (id: string | undefined, options: Common) => {
      const count = await print(
        'dead-letters-retry',
        options,
        { id },
        ({ id: retried }) => `${plain(retried)} is queued again`,
      );
      if (count === 0 && !options.json) stdout.write('There is nothing to retry.\n');
    });
}

interface ReplayOptions extends Common {
  readonly verify?: boolean;
}

function addRebuilds(program: Command): void {
  withCommon(program.command('replay'))
    .description('make the views anew from the log; the present ones answer until the new ones are there')
    .option(
      '--verify',
      'compare the new views with the present ones, and keep the present ones; exit code 1 if they differ',
    )
    .action(async (options: ReplayOptions) => {
      const { documents, units, difference, done } = await follow('replay', options, {
        verify: options.verify ?? false,
      });
      if (difference) process.exitCode = 1;
      if (options.json) return;
      if (done !== true) stdout.write('Given up; the present views stay.\n');
      else if (difference) stdout.write(differenceWords(difference as JsonObject));
      else if (options.verify) stdout.write(`No difference: ${documents} documents, ${units} units.\n`);
      else stdout.write(`The views are new: ${documents} documents, ${units} units.\n`);
    });
  withCommon(program.command('rebuild'))
    .description('embed every document with another model; searches go on with the present one until all is there')
    .requiredOption('--vector-space <name>', 'the space, or the model that makes it')
    .option(
      '--release-others',
      'then forget the vectors of all other spaces, which would spare embedding on the way back',
    )
    .action(async (options: Common & { readonly vectorSpace: string; readonly releaseOthers?: boolean }) => {
      const { done, space, without } = await follow('rebuild-vector-space', options, {
        name: options.vectorSpace,
        releaseOthers: options.releaseOthers ?? false,
      });
      if (options.json) return;
      if (done !== true)
        stdout.write('Given up for now. The same command goes on with it; the present space serves.\n');
      else if (without === 0) stdout.write(`Every document is found in ${space}.\n`);
      else
        stdout.write(`${space} serves; ${without} documents have no vectors of it yet and are found by their words.\n`);
    });
}

const differenceWords = ({ documentId, field, serving, rebuilt }: JsonObject): string =>
  [
    `Document ${documentId} differs in ${field}:`,
    `  present: ${serving === null ? '(not there)' : plain(serving)}`,
    `  rebuilt: ${rebuilt === null ? '(not there)' : plain(rebuilt)}`,
    'Take over the rebuilt views with: mneme replay',
    '',
  ].join('\n');

const SIGNS: Readonly<Record<string, string>> = { ok: 'ok', warning: '!', failed: 'FAILED' };

function addDoctor(program: Command): void {
  withCommon(program.command('doctor'))
    .description('what is configured, reachable, behind, or to be tidied; exit code 1 when something is wrong')
    .action(async (options: Common) => {
      for await (const line of lines('doctor', options, {})) {
        if (line.done === true && line.sound !== true) process.exitCode = 1;
        if (options.json) jsonLine(stdout, line);
        else if (line.done === true) {
          const engines = Object.entries(line.engines ?? {}).map(([name, version]) => `, ${name} ${plain(version)}`);
          const own = `Mneme ${line.version}, role ${line.role}, Node ${line.node}, SQLite ${line.sqlite}`;
          stdout.write(`${own}${engines.join('')}\n`);
        } else {
          stdout.write(
            `${(SIGNS[String(line.state)] ?? '?').padEnd(7)}${String(line.name).padEnd(18)}${plain(line.detail)}\n`,
          );
          if (line.advice !== undefined) stdout.write(`${' '.repeat(25)}${plain(line.advice)}\n`);
        }
      }
    });
}

export function addOperations(program: Command): void {
  addReplayHelp(program);
  addEvents(program);
  addDeadLetters(program);
  addRebuilds(program);
  addDoctor(program);
}

function addReplayHelp(program: Command): void {
  program.addHelpText(
    'after',
    `
Commands work through the server that runs on the data folder, and by themselves where none does. Distributed engines are
reached by the server's own settings: MNEME_EVENTSTORE_URL, MNEME_NATS_URL, MNEME_OPENSEARCH_URL.`,
  );
}
