/** The process of a cross-encoder, at low priority like the one that embeds passages. */
import { constants, setPriority } from 'node:os';
import { errorRecord } from '#kernel';
import type { Comparison, FromPassages } from '../passages.child.ts';
import { type CrossEncoderFiles, openBareCrossEncoder } from './bare-cross-encoder.ts';

/** The only argument of the process, as JSON. */
export interface CrossEncoderSetup {
  readonly files: CrossEncoderFiles;
  readonly threads: number;
}

process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// Ctrl-C reaches every process of the terminal; the parent ends this process after its own shutdown.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const { files, threads } = JSON.parse(process.argv[2] ?? '') as CrossEncoderSetup;
const opening = openBareCrossEncoder(files, threads);
// Every comparison is answered with this error.
opening.catch(() => {});

const send = (message: FromPassages): void => void process.send?.(message);

process.on('message', async ({ id, question, texts, expiresAt }: Comparison<string>) => {
  try {
    const model = await opening;
    for (const [text, passage] of texts.entries()) {
      if (Date.now() >= expiresAt) break;
      send({ id, text, score: await model.score(question, passage) });
    }
    send({ id, rssBytes: process.memoryUsage.rss() });
  } catch (error) {
    send({ id, error: errorRecord(error) });
  }
});
