import { MnemeError, type MnemeErrorOptions } from './mneme-error.ts';

export type ResourceCode = 'no_space' | 'too_many_files' | 'busy' | 'io_error';

/** The machine lacks something at the moment: disk space, file descriptors, a lock, or a device that answers. */
export class ResourceError extends MnemeError {
  override readonly kind = 'transient';
  override readonly code: ResourceCode;

  constructor(code: ResourceCode, message: string, options?: MnemeErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** EDQUOT: the quota of the user is used up. EROFS: how a system continues after an I/O error. ESTALE: a network disk is gone. */
const CODES: Readonly<Record<string, ResourceCode>> = {
  ENOSPC: 'no_space',
  EDQUOT: 'no_space',
  EMFILE: 'too_many_files',
  ENFILE: 'too_many_files',
  EBUSY: 'busy',
  EAGAIN: 'busy',
  ETXTBSY: 'busy',
  EIO: 'io_error',
  EROFS: 'io_error',
  ESTALE: 'io_error',
};

/** Whether an error of `node:fs` says that there is no such file. */
export const isAbsent = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Returns null for a file that does not exist. @throws the translated error otherwise */
export function absentAsNull(error: unknown): null {
  if (isAbsent(error)) return null;
  throw translateFileError(error);
}

/** Translates an error of `node:fs`, for adapters that own files. Returns every other error as it is. */
export function translateFileError(error: unknown): unknown {
  const { code = '', message = '' } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  const resource = CODES[code];
  return resource === undefined ? error : new ResourceError(resource, message, { cause: error });
}
