import { MnemeError } from '#kernel';

/** Another process listens on the address. */
class PortInUseError extends MnemeError {
  override readonly name = 'PortInUseError';
  override readonly kind = 'permanent';
  override readonly code = 'port_in_use';
}

/** Translates an error of `listen`. Returns every other error as it is. */
export function translateListenError(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'EADDRINUSE') return error;
  return new PortInUseError(`${message}; set MNEME_PORT to another port`, { cause: error });
}
