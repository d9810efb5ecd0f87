import { mnemeError, translateFileError } from '#platform/kernel';
import type { JobLimits } from './kind.ts';

/** The child and its descendants exceeded their memory limit, or the child its heap limit. */
export class JobMemoryError extends mnemeError('permanent', 'job_memory_exceeded') {}

/** The work took longer than its limit, which also depends on the load of the machine. */
export class JobTimeoutError extends mnemeError(undefined, 'job_time_exceeded') {}

/** A short job ran for longer than short jobs may, and as many long ones as may run were running. Run it as a long one. */
export class JobSlowError extends mnemeError(undefined, 'job_slow') {}

/** A child was given the job and has not begun it; another one does it. */
export class JobReturnedError extends mnemeError('transient', 'job_returned') {}

/** The output file exceeded its size limit. */
export class JobOutputError extends mnemeError('permanent', 'job_output_exceeded') {}

/** The input file did not exist when the work began. */
class JobInputMissingError extends mnemeError('permanent', 'job_input_missing') {}

/** The child ended during the work, and not because of a limit: a crash, or a signal from outside of the pool. */
export class ChildEndedError extends mnemeError(undefined, 'child_ended') {}

/** No child could be started for the job. */
export class ChildStartError extends mnemeError('transient', 'child_not_started') {}

/** The pool was closed before the job was done. */
export class PoolClosedError extends mnemeError('transient', 'pool_closed') {}

const MIB = 1024 * 1024;

export const memoryError = ({ rssBytes, heapMb }: JobLimits): JobMemoryError =>
  new JobMemoryError(`The work took more than ${Math.round(rssBytes / MIB)} MiB of memory, or ${heapMb} MiB of heap`);

export const outputError = (outputBytes: number): JobOutputError =>
  new JobOutputError(`The work wrote more than ${Math.round(outputBytes / MIB)} MiB`);

/** Returns what the caller of a job gets for an error of its handler. */
export function translateJobError(error: unknown, input: string): unknown {
  const { code, path } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  if (code === 'ENOENT' && path === input) return new JobInputMissingError('The input file does not exist');
  return translateFileError(error);
}
