import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { errorRecord, type Json } from '#platform/kernel';
import { outputError, translateJobError } from './errors.ts';
import type { JobRequest, JobResponse } from './messages.ts';

/**
 * Does one job. It may use the folder `tmpdir()`, which is emptied after each job.
 * @param report tells the caller what is done already, which it keeps if the child ends
 */
export type JobHandler = (
  job: Pick<JobRequest, 'params' | 'input' | 'output'>,
  report: (value: Json) => void,
) => Json | Promise<Json>;

const PARENT_POLL_MS = 500;
/** Requests and searches go first where the CPU is short. No higher, because jobs have a time limit. */
const NICENESS = 5;
/** Linux: the kernel ends processes with a high value first when the machine runs out of memory. */
const OOM_SCORE = '800';

/**
 * The child's side of a pool: does one job after the other. Called once, by the entry module of a kind.
 * @param handler what it throws reaches the caller of the job (kind, code, message and details)
 */
export function serveJobs(handler: JobHandler): void {
  // Set before any thread starts, because on Linux threads inherit the priority.
  setPriority(NICENESS);
  endWithParent();
  preferInOutOfMemory();
  let last = Promise.resolve();
  process.on('message', (request: JobRequest) => {
    last = last.then(() => serve(request, handler));
  });
}

async function serve({ id, outputBytes, ...job }: JobRequest, handler: JobHandler): Promise<void> {
  respond({ id, started: true });
  try {
    mkdirSync(tmpdir(), { recursive: true, mode: 0o700 });
    const answer = await handler(job, (report) => respond({ id, report }));
    emptyFolder(tmpdir());
    const written = statSync(job.output, { throwIfNoEntry: false })?.size ?? 0;
    if (written > outputBytes) throw outputError(outputBytes);
    respond({ id, answer, rssBytes: process.memoryUsage.rss() });
  } catch (error) {
    respond({ id, fault: errorRecord(translateJobError(error, job.input)) });
  }
}

function emptyFolder(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
}

function respond(response: JobResponse): void {
  process.send?.(response);
}

/**
 * Ends this process and its descendants when the pool's process ends. A thread looks for it, because a message or an event
 * would not be handled during a long computation.
 */
function endWithParent(): void {
  const watch = `setInterval(() => {
    if (process.ppid !== ${process.ppid}) process.kill(-process.pid, 'SIGKILL');
  }, ${PARENT_POLL_MS});`;
  new Worker(watch, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 } }).unref();
  process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'));
}

function preferInOutOfMemory(): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync('/proc/self/oom_score_adj', OOM_SCORE);
  } catch {
    // Not permitted in some containers; the limits hold all the same.
  }
}
