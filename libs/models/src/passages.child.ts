/**
 * The process that embeds passages: a model on each of a few threads, at low priority, so that a large import does not
 * slow down requests.
 */
import { constants, setPriority } from 'node:os';
import { type ErrorRecord, errorRecord } from '#kernel';
import type { ModelFiles } from './bare-model.ts';
import { ModelThread } from './model-thread.ts';

/** The process's only argument, as JSON. */
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

// The parent has ended. An orderly exit would let the model's library report errors of running work.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// Ctrl-C reaches every process of the terminal; the parent ends this one when its own shutdown is done.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
// Before any thread starts: on Linux a thread inherits the priority of its parent.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const setup = JSON.parse(process.argv[2] ?? '') as PassageSetup;
const threads = Promise.all(Array.from({ length: setup.threads }, () => ModelThread.start(setup.files)));
threads.then(
  (started) => {
    // A thread that ends ends the process, so that the parent has one case to handle.
    for (const thread of started) void thread.ended.then(() => process.exit(1));
  },
  // Every request is answered with this error.
  () => {},
);

function say(message: FromPassages): void {
  process.send?.(message);
}

process.on('message', async ({ id, texts }: ToPassages) => {
  try {
    const idlest = (await threads).reduce((a, b) => (b.pending < a.pending ? b : a));
    const vectors = await idlest.embed('passage', texts);
    say({ id, vectors, rssBytes: process.memoryUsage.rss() });
  } catch (error) {
    say({ id, error: errorRecord(error) });
  }
});
