import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, loadConfig, readEnvironment } from '#platform/config';
import { scriptedModel, showAgent } from './agent.ts';
import { Api, type Health } from './api.ts';
import { EXAMPLES, type Example } from './examples.ts';
import { wrap } from './lines.ts';
import { showMemory } from './memory.ts';
import { Progress } from './progress.ts';
import { printResults } from './results.ts';
import { ScriptedProvider } from './scripted-provider.ts';
import { SEARCHES } from './searches.ts';
import { DemoError, DemoServer, type ServerSettings } from './server.ts';

/** For the documents, the model and the vectors together. Milliseconds. */
const WAIT = 30_000;
/** Between signs of life while the server starts. Milliseconds. */
const SILENCE_MS = 1_500;
/** Signals of one Ctrl-C: the terminal and npm both send it. Milliseconds. */
const SAME_SIGNAL_MS = 500;

const KEEP = '--keep';
const AGENT = '--agent';
const say = (text = ''): void => console.log(text);

async function demo(server: DemoServer, progress: Progress, stop: AbortSignal): Promise<void> {
  const api = new Api(server.url, server.key, stop);
  const end = performance.now() + WAIT;
  const feed = api.follow((event) => progress.update(event));
  await feed.open;

  say('\nAdding the files of examples/\n');
  const ids = new Map<Example, string>();
  for (const example of EXAMPLES) {
    const id = await api.add(example);
    ids.set(example, id);
    progress.add(id, example.name);
  }
  await progress.until('done', WAIT);

  const model = await modelOf(api, progress, end);
  if (model.search.vectors) await progress.until('with vectors', end - performance.now());
  progress.end();
  say(`\n${describeModel(model, progress)}`);

  for (const [i, search] of SEARCHES.entries()) {
    const needs = search.byMeaning && !model.search.vectors ? ' (needs the model)' : '';
    say(`\n${i + 1}. ${search.title}${needs}`);
    say(`   POST ${search.path} ${JSON.stringify(search.body)}`);
    printResults(await api.post(search.path, { ...search.body, explain: true }), say);
  }

  await showMemory(api, SEARCHES.length + 1, say);
  await showDeletion(api, EXAMPLES[0] as Example, ids);
  feed.close();
}

/** Waits until the model is ready or unavailable, at most until `end`. */
async function modelOf(api: Api, progress: Progress, end: number): Promise<Health> {
  for (;;) {
    const health = await api.get<Health>('/v3/health');
    const { model } = health;
    if (model.state === 'fetching') progress.fetched(model.source, model.receivedBytes, model.totalBytes);
    else progress.model(model.state, model.state === 'ready' ? 1 : 0);
    if (!['fetching', 'loading'].includes(model.state) || performance.now() > end) return health;
    await api.pause(100);
  }
}

function describeModel({ model, search }: Health, progress: Progress): string {
  switch (model.state) {
    case 'ready':
      return progress.missing('with vectors') === 0
        ? `Search by words and by meaning (${search.model}).`
        : `The model is ready (${search.model}). Documents without vectors are found by words only.`;
    case 'off':
      return 'Search by words only: MNEME_EMBEDDING is off.';
    case 'unavailable':
      return wrap(`Search by words only: the model is not available. ${model.reason}`, '');
    default:
      return 'Search by words only: the model was not ready in time.';
  }
}

async function showDeletion(api: Api, example: Example, ids: ReadonlyMap<Example, string>): Promise<void> {
  const { customId, name } = example;
  const path = `/v3/documents/${customId}`;
  say(`\n${SEARCHES.length + 2}. Delete ${name}\n   DELETE ${path}`);
  const deleted = await api.request('DELETE', path);
  const read = await api.request('GET', path);
  const byId = await api.request('GET', `/v3/documents/${ids.get(example)}`);
  const question = SEARCHES[0]?.body.q;
  const { results } = await api.post('/v4/search', { q: question, threshold: 0, limit: 100 });
  const left = results.filter((hit) => hit.title === example.title).length;
  if (deleted.status !== 204 || read.status !== 404 || byId.status !== 404 || left > 0) {
    throw new DemoError(`${name} was not deleted: DELETE returned ${deleted.status}, GET ${read.status}`);
  }
  say(`   204; GET by customId and by id return 404; "${question}" no longer finds it.`);
}

/** Reuses models that are installed in the configured data folder. */
function modelSettings(): Omit<ServerSettings, 'provider'> {
  const { embedding, modelsFolder, dataFolder } = loadConfig(readEnvironment()).config;
  const installed = join(dataFolder, 'models');
  return { embedding, modelsFolder: modelsFolder ?? (existsSync(installed) ? installed : null) };
}

async function main(options: readonly string[]): Promise<number> {
  const unknown = options.find((option) => option !== KEEP && option !== AGENT);
  if (unknown !== undefined) throw new DemoError(`Unknown option ${unknown}. The options are ${AGENT} and ${KEEP}.`);

  const settings = modelSettings();
  const provider = options.includes(AGENT) ? await ScriptedProvider.start(scriptedModel) : null;
  try {
    return await run({ ...settings, provider: provider?.url ?? null }, provider, options.includes(KEEP));
  } finally {
    await provider?.stop();
  }
}

/** @param provider of the model for conversations; null: the main functions are shown without any */
async function run(settings: ServerSettings, provider: ScriptedProvider | null, isKept: boolean): Promise<number> {
  const stop = new AbortController();
  let server: DemoServer | null = null;
  endEarly(stop, () => server?.endAtOnce());
  say('Starting a server with a temporary data folder');
  const starting = setInterval(() => say('  still starting'), SILENCE_MS);
  server = await DemoServer.start(settings, stop.signal).finally(() => clearInterval(starting));
  const progress = new Progress(process.stdout, stop.signal);
  try {
    say(`The server listens on ${server.url}. Data folder: ${server.folder}`);
    const shown =
      provider === null
        ? demo(server, progress, stop.signal)
        : showAgent(new Api(server.url, server.key, stop.signal), provider, say);
    await Promise.race([shown, server.lost(stop.signal)]);
    if (isKept) {
      say(`\nThe server keeps running: ${server.url}/v3/docs, key ${server.key}`);
      say('Press Ctrl-C to stop it and remove its data folder.');
      await server.lost(stop.signal).catch((error) => {
        if (!stop.signal.aborted) throw error;
      });
    }
    return 0;
  } finally {
    progress.end();
    await server.end();
    say('\nThe server was stopped and its data folder removed.');
  }
}

/** At a signal, or when nobody reads the output any more, the server is stopped in order; at another signal it is killed. */
function endEarly(stop: AbortController, endAtOnce: () => void): void {
  let stoppedAt: number | null = null;
  const end = () => {
    if (stoppedAt !== null && performance.now() - stoppedAt > SAME_SIGNAL_MS) {
      endAtOnce();
      process.exit(1);
    }
    stoppedAt ??= performance.now();
    stop.abort(new DemoError('The demo was interrupted'));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => stop.abort(new DemoError('The output was closed')));
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof DemoError || error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
