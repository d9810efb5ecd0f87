import type { JobLimits } from './kind.ts';

/** The child and its descendants exceeded their memory limit, or the child its heap limit. */
export class JobMemoryError extends Error {
  override readonly name = 'JobMemoryError';
}

/** The work took longer than its limit. */
export class JobTimeoutError extends Error {
  override readonly name = 'JobTimeoutError';
}

/** The output file exceeded its size limit. */
export class JobOutputError extends Error {
  override readonly name = 'JobOutputError';
}

/** The input file did not exist when the work began. */
export class JobInputMissingError extends Error {
  override readonly name = 'JobInputMissingError';
}

/** The child ended during the work, and not because of a limit: a crash, or a signal from outside of the pool. */
export class ChildEndedError extends Error {
  override readonly name = 'ChildEndedError';
}

/** No child could be started for the job. */
export class ChildStartError extends Error {
  override readonly name = 'ChildStartError';
}

/** The pool was closed before the job was done. */
export class PoolClosedError extends Error {
  override readonly name = 'PoolClosedError';
}

/** A file of the job could not be written or read: no space, too many open files, an I/O error. */
export class ScratchError extends Error {
  override readonly name = 'ScratchError';
}

const MIB = 1024 * 1024;

export const memoryError = ({ rssBytes, heapMb }: JobLimits): JobMemoryError =>
  new JobMemoryError(`The work took more than ${Math.round(rssBytes / MIB)} MiB of memory, or ${heapMb} MiB of heap`);

export const outputError = (outputBytes: number): JobOutputError =>
  new JobOutputError(`The work wrote more than ${Math.round(outputBytes / MIB)} MiB`);

const RESOURCE_CODES = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EBUSY', 'EIO', 'EROFS']);

/**
 * Returns the pool's error for a file system error, or the error itself if it is another one.
 * @param input path of the job's input file, if it is read here
 */
export function translateFileError(error: unknown, input: string | null): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  const { code = '', path } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' && path === input) return new JobInputMissingError('The input file does not exist');
  return RESOURCE_CODES.has(code) ? new ScratchError(`A file of a job failed: ${code}`, { cause: error }) : error;
}
