import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { runMneme } from '../support/command.ts';
import { eventually, Mneme } from '../support/mneme.ts';
import { pack } from './archive.ts';
import type { Questions } from './questions.ts';
import { addSettled, upload } from './settled.ts';
import { HTML, longText, manyUnlikeSentences } from './texts.ts';
import {
  addConversation,
  killRebuild,
  modelServes,
  questionsOf,
  reaches,
  SLOW_TEXT_THREAD,
  statusOf,
} from './writing.ts';

export interface EmbeddedOptions {
  /** The checkout of the version that writes. */
  readonly root: string;
  readonly folder: string;
  /** Where the archive goes. */
  readonly file: string;
  /** Settings with which the models are found. */
  readonly models: Readonly<Record<string, string>>;
  /** The space that the change goes to. */
  readonly other: string;
}

/** Writes a data folder with everything in it, and kills the server in the middle of its work. */
export async function writeEmbedded({ root, folder, file, models, other }: EmbeddedOptions): Promise<Questions> {
  const start = (env: Record<string, string | undefined> = {}) =>
    Mneme.start({ root, folder, env: { ...models, ...env } });
  // The first start without a key of its own writes owner.key.
  await (await start({ MNEME_API_KEY: undefined })).stop();

  let mneme = await start();
  await modelServes(mneme);
  const settled = await addSettled(mneme);
  await loseAndBringBack();
  await addConversation(mneme);
  await killRebuild({ root, folder, env: models }, other);
  await mneme.stop();

  mneme = await start(SLOW_TEXT_THREAD);
  await modelServes(mneme);
  const unfinished = await leaveUnfinished(mneme, folder);
  requireStages(folder);
  requireSnapshot(folder);
  await pack(folder, file, (path) => !/^(models|uploads)\/|-reserve$|-shm$/.test(path));

  return questionsOf(settled, unfinished);

  /** A blob is away while its document is looked at: it fails, is retried when the blob is back, and is done again. */
  async function loseAndBringBack(): Promise<void> {
    const id = settled.lostAndFound;
    const organization = (await readdir(join(folder, 'blobs'))).find((name) => !name.startsWith('.'));
    const [there, away] = [join(folder, 'blobs', organization as string, id), join(folder, 'away')];
    await rename(there, away);
    await runMneme(['replay'], { root, folder, env: models });
    await eventually(async () => ((await statusOf(mneme, id)) === 'failed' ? true : null));
    await rename(away, there);
    await mneme.post(`/v3/documents/${id}/retry`);
    await eventually(async () => ((await statusOf(mneme, id)) === 'done' ? true : null));
  }
}

/** Leaves documents in every stage. The views are locked, so none gets beyond indexing. @returns their ids */
async function leaveUnfinished(mneme: Mneme, folder: string): Promise<readonly string[]> {
  const grown = await mneme.addAndWait('Bryndis: The cider is pressed.', {
    customId: 'chat/cider',
    containerTag: 'grown',
  });
  const victim = await mneme.addAndWait('This is deleted while the server dies.', { containerTag: 'unread' });
  const failed = await mneme.add('http://192.0.2.1/later.html', { containerTag: 'unread' });
  await mneme.settled(failed);

  const views = new DatabaseSync(join(folder, 'views.db'), { timeout: 60_000 });
  views.exec('BEGIN IMMEDIATE');
  const waiting = { containerTag: 'waiting' };
  const ids: string[] = [grown, failed];
  for (const text of [
    'Sills are painted white on the sunny side.',
    'The cellar key hangs behind the clock.',
    'Rain fills the cistern in nine days.',
  ])
    ids.push(await mneme.add(text, { ...waiting, metadata: { room: 'cellar' } }));
  for (const id of ids.slice(2)) await reaches(mneme, id, 'indexing');

  const chunking = await upload(mneme, 'swarm.html', HTML, 'unread');
  await reaches(mneme, chunking, 'chunking');
  const extracting = await upload(mneme, 'swarm-copy.html', HTML.replace('weighed', 'counted'), 'unread');
  await reaches(mneme, extracting, 'extracting');
  const embedding = await mneme.add(manyUnlikeSentences(), waiting);
  await reaches(mneme, embedding, 'embedding');
  ids.push(chunking, extracting, embedding);

  // It waits for the views, and is cut off.
  void mneme.request('DELETE', `/v3/documents/${victim}`).catch(() => undefined);
  await eventually(async () => ((await mneme.get(`/v3/documents/${victim}`)).status === 404 ? true : null));
  const added = await Promise.all([
    mneme.add('A toad lives under the pump.', { containerTag: 'unread', customId: 'toad' }),
    mneme.add(longText('The second mill stands idle.'), { containerTag: 'unread', taskType: 'superrag' }),
    mneme.add('Three lanterns were lent to the choir.', { containerTags: ['unread', 'choir'] }),
    mneme.add('Bryndis: The barrels are tarred now.', { customId: 'chat/cider', containerTag: 'grown' }),
    mneme.post(`/v3/documents/${failed}/retry`),
  ]);
  await mneme.kill();
  ids.push(...added.slice(0, 3).map(String), victim);
  views.exec('ROLLBACK');
  views.close();
  return ids;
}

/** Of the last events of unfinished documents, with their stages. */
const LEFT = [
  'DocumentAdded',
  'StageStarted extracting',
  'StageStarted chunking',
  'StageStarted embedding',
  'UnitsEmbedded embedding',
  'DocumentDeleted',
];

function requireStages(folder: string): void {
  const db = new DatabaseSync(join(folder, 'events.db'), { readOnly: true });
  const last = `SELECT DISTINCT concat_ws(' ', type, json_extract(envelope, '$.stage')) AS last FROM events
    JOIN streams ON streams.no = stream AND streams.revision = events.revision WHERE streams.name LIKE 'document-%'`;
  const found = (db.prepare(last).all() as { last: string }[]).map((row) => row.last);
  db.close();
  const missing = LEFT.filter((one) => !found.includes(one));
  if (missing.length > 0) throw new Error(`No document was left at ${missing.join(', ')}: write the state once more`);
}

function requireSnapshot(folder: string): void {
  const db = new DatabaseSync(join(folder, 'events.db'), { readOnly: true });
  const { n } = db.prepare('SELECT count(*) AS n FROM snapshots WHERE state IS NOT NULL').get() as { n: number };
  db.close();
  if (n === 0) throw new Error('no stream has a snapshot');
}
