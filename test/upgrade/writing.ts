import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually, type Mneme, whileItLasts } from '../support/mneme.ts';
import {
  type Questions,
  questionsOfDocuments,
  questionsOfEvents,
  questionsOfFilters,
  questionsOfTags,
} from './questions.ts';
import { SETTLED_TAGS, type Settled } from './settled.ts';
import { turn } from './texts.ts';

/** What the writers of both states do. */

export const SLOW_TEXT_THREAD = { NODE_OPTIONS: `--import=${join(import.meta.dirname, 'slow-text-thread.ts')}` };
/** Events after which a snapshot of a stream is kept. */
const SNAPSHOT_EVERY = 200;

export const statusOf = async (mneme: Mneme, id: string) => (await mneme.get(`/v3/documents/${id}`)).body.status;
const stageOf = async (mneme: Mneme, id: string) => (await mneme.get(`/v3/documents/${id}`)).body.processingStage;
export const reaches = (mneme: Mneme, id: string, stage: string) =>
  whileItLasts(async () => ((await stageOf(mneme, id)) === stage ? true : null), 20_000);

export async function modelServes(mneme: Mneme): Promise<void> {
  await eventually(async () => {
    const { body } = await mneme.get<{ model: { state: string } }>('/v3/health');
    return body.model.state === 'ready' ? true : null;
  });
}

/** Turns and changes of metadata until there are more events than a snapshot waits for. */
export async function addConversation(mneme: Mneme): Promise<void> {
  const fields = { customId: 'chat/type', containerTags: ['chats', 'workshop'] };
  const id = await mneme.addAndWait(turn(0), fields);
  for (let i = 1; ; i += 1) {
    await mneme.post('/v3/documents', { content: turn(i % 24), ...fields, metadata: { turns: i } });
    await mneme.settled(id);
    for (let j = 0; i >= 12 && j < 40; j += 1) {
      await mneme.post('/v3/documents', { content: turn(i % 24), ...fields, metadata: { turns: i, seen: j } });
      await mneme.settled(id);
    }
    const { body } = await mneme.get<{ events: unknown[] }>(`/v3/documents/${id}/events`);
    if (body.events.length > SNAPSHOT_EVERY + 10) return;
  }
}

/** Where a command runs, and with which settings. */
export interface Place {
  readonly root: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The change to another space dies when it has made some of its vectors. */
export async function killRebuild({ root, folder, env }: Place, space: string): Promise<void> {
  const args = [join(root, 'bin/mneme.js'), 'rebuild', '--vector-space', space, '--json'];
  const command = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, MNEME_DATA: folder, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(command, 'exit');
  for await (const line of createInterface({ input: command.stdout })) {
    const { phase, vectors = 0 } = JSON.parse(line) as { phase: string; vectors?: number };
    if (phase === 'embed' && vectors > 0) command.kill('SIGKILL');
  }
  await ended;
}

/** What a state is asked. @param unfinished ids of documents under the tags `waiting`, `unread` and `grown` */
export const questionsOf = ({ ids, customIds }: Settled, unfinished: readonly string[]): Questions => ({
  settled: [
    ...questionsOfTags(SETTLED_TAGS),
    ...questionsOfDocuments([...ids, ...customIds]),
    ...questionsOfEvents(ids),
    ...questionsOfFilters(),
  ],
  unfinished: [
    ...questionsOfTags(['waiting']),
    ...questionsOfTags(['unread', 'grown']).map((one) => ({ ...one, hasNewUnits: true })),
    ...questionsOfDocuments(unfinished),
  ],
});
