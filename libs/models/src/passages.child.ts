/**
 * The process that embeds passages: a model on each of a few threads, at low priority, so that a large import leaves
 * the cores to whoever waits for an answer.
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

// The one who asked is gone: nobody is left to answer to. In order, the library would complain of what it is working on.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// Ctrl-C reaches every process of the terminal. The one that asks says when it is done, also while it shuts down.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
// Before any thread is made: on Linux a thread inherits the priority of the one that makes it.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const setup = JSON.parse(process.argv[2] ?? '') as PassageSetup;
const threads = Promise.all(Array.from({ length: setup.threads }, () => ModelThread.start(setup.files)));
threads.then(
  (started) => {
    // A thread that ends takes the process along, so that who waits learns of it in one way, that of a crash.
    for (const thread of started) void thread.ended.then(() => process.exit(1));
  },
  // Each request is answered with this failure.
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
