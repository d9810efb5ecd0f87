import { MnemeError } from '#platform/kernel';

/** Server and command are of different versions of the program. */
export class VersionMismatchError extends MnemeError {
  override readonly name = 'VersionMismatchError';
  override readonly kind = 'permanent';
  override readonly code = 'version_mismatch';
}

/** The server cannot be asked, or ended during the call. The message is shown to the operator. */
export class ControlError extends MnemeError {
  override readonly name = 'ControlError';
  override readonly kind = 'permanent';
  override readonly code = 'control_failed';
}
