/**
 * The passage process: a model on each of several threads, at low priority, so that a large import does not slow down
 * requests.
 */
import { constants, setPriority } from 'node:os';
import { type ErrorRecord, errorRecord } from '#kernel';
import type { ModelFiles } from './bare-model.ts';
import { ModelThread } from './model-thread.ts';

/** The only argument of the process, as JSON. */
export interface PassageSetup {
  readonly files: ModelFiles;
  readonly threads: number;
}

export interface ToPassages {
  readonly id: number;
  readonly texts: readonly string[];
}

export type FromPassages =
  | { readonly id: number; readonly vectors: Float32Array; readonly rssBytes: number }
  | { readonly id: number; readonly error: ErrorRecord };

// The parent has ended. Killed, because after an orderly exit the library would report errors of running work.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// Ctrl-C reaches every process of the terminal; the parent ends this process after its own shutdown.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
// Set before any thread starts, because on Linux threads inherit the priority.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const setup = JSON.parse(process.argv[2] ?? '') as PassageSetup;
const threads = Promise.all(Array.from({ length: setup.threads }, () => ModelThread.start(setup.files)));
threads.then(
  (started) => {
    // The end of a thread ends the process, so that the parent has one case to handle.
    for (const thread of started) void thread.ended.then(() => process.exit(1));
  },
  // Every call is answered with this error.
  () => {},
);

function send(message: FromPassages): void {
  process.send?.(message);
}

process.on('message', async ({ id, texts }: ToPassages) => {
  try {
    const leastBusy = (await threads).reduce((a, b) => (b.pending < a.pending ? b : a));
    const vectors = await leastBusy.embed('passage', texts);
    send({ id, vectors, rssBytes: process.memoryUsage.rss() });
  } catch (error) {
    send({ id, error: errorRecord(error) });
  }
});
