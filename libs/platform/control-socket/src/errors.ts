import { mnemeError } from '#platform/kernel';

/** Server and command are of different versions of the program. */
export class VersionMismatchError extends mnemeError('permanent', 'version_mismatch') {}

/** The server cannot be asked, or ended during the call. The message is shown to the operator. */
export class ControlError extends mnemeError('permanent', 'control_failed') {}
