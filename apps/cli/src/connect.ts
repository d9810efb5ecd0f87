import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import type { Json, JsonObject } from '#platform/kernel';
import { type ConnectionOptions, showSync, withConnections } from './connections.ts';
import { plain } from './output.ts';
import { RefusedError, Served } from './served.ts';

const { stdin, stdout, stderr } = process;

const LOOK_MS = 1_000;
const METADATA = 'metadata.';
/** What is typed for these is not shown. */
const SECRET = /secret|token|key|password/i;

interface ConnectOptions extends ConnectionOptions {
  readonly tag: readonly string[];
  readonly set: readonly string[];
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly limit?: number;
}

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

function setting(value: string, before: readonly string[]): readonly string[] {
  if (!/^[^=]+=/.test(value)) throw new InvalidArgumentError('It is name=value, as the provider needs it.');
  return collect(value, before);
}

function wholeNumber(value: string): number {
  if (!/^\d{1,6}$/.test(value)) throw new InvalidArgumentError('It is a whole number.');
  return Number(value);
}

export function addConnect(program: Command): void {
  withConnections(program.command('connect <provider>'))
    .description('connect a source, such as web-crawler, s3 or google-drive, and show its first sync')
    .option('--tag <tag>', 'tag of the documents; can be repeated', collect, [])
    .option('--set <name=value>', 'what the provider needs; can be repeated. What is missing is asked for', setting, [])
    .option('--include <pattern>', 'paths to take; can be repeated', collect, [])
    .option('--exclude <pattern>', 'paths to leave out; can be repeated', collect, [])
    .option('--limit <count>', 'most documents', wholeNumber)
    .action(async (provider: string, options: ConnectOptions) => {
      const served = await Served.of(options);
      const { id, authLink } = await create(served, provider, options);
      stderr.write(`The connection is ${plain(id)}.\n`);
      if (typeof authLink === 'string') await permission(served, String(id), authLink);
      await showSync(served, String(id), [], options);
    });
}

/** Creates the connection; asks for what the server says is missing. @throws RefusedError */
async function create(served: Served, provider: string, options: ConnectOptions): Promise<JsonObject> {
  const { tag, include, exclude, limit } = options;
  const metadata = new Map<string, Json>(
    options.set.map((one) => [one.slice(0, one.indexOf('=')), typedValue(one.slice(one.indexOf('=') + 1))]),
  );
  const asked = new Set<string>();
  for (;;) {
    const body = {
      ...(tag.length > 0 && { containerTags: tag }),
      ...(metadata.size > 0 && { metadata: Object.fromEntries(metadata) }),
      ...(include.length > 0 && { include }),
      ...(exclude.length > 0 && { exclude }),
      ...(limit !== undefined && { documentLimit: limit }),
    };
    try {
      return await served.ask('POST', `/v3/connections/${encodeURIComponent(provider)}`, body);
    } catch (error) {
      const field = error instanceof RefusedError && error.field?.startsWith(METADATA) ? error.field : null;
      const name = field?.slice(METADATA.length);
      if (name === undefined || asked.has(name) || !stdin.isTTY || !stderr.isTTY) throw error;
      asked.add(name);
      metadata.set(name, typedValue(await answerTo(`${(error as Error).message}\n${name}: `, SECRET.test(name))));
    }
  }
}

/** As the API has it: a flag or a text. */
const typedValue = (text: string): Json => (text === 'true' || text === 'false' ? text === 'true' : text);

async function answerTo(question: string, isSecret: boolean): Promise<string> {
  stderr.write(plain(question.replaceAll('\n', ' ')));
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: isSecret ? nowhere : stderr, terminal: true });
  try {
    return (await terminal.question('')).trim();
  } finally {
    terminal.close();
    if (isSecret) stderr.write('\n');
  }
}

/** Prints the link by which a person permits the access, and waits until that has been done. */
async function permission(served: Served, id: string, link: string): Promise<void> {
  stdout.write(`Open this address in a browser and permit the access:\n${plain(link)}\n`);
  stderr.write('Waiting. Press Ctrl-C to end; the connection stays.\n');
  // The connection exists from then on.
  while (!(await exists(served, id))) await pause(LOOK_MS);
}

const exists = (served: Served, id: string): Promise<boolean> =>
  served.ask('GET', `/v3/connections/${id}`).then(
    () => true,
    (error: unknown) => {
      if (error instanceof RefusedError && error.status === 404) return false;
      throw error;
    },
  );
