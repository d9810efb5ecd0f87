import { MnemeError } from '#platform/kernel';

export type InputCode = 'invalid_request' | 'invalid_metadata' | 'invalid_filter';

/** Something that a request says is wrong. */
export class InputError extends MnemeError {
  override readonly kind = 'permanent';
  override readonly code: InputCode;
  /** What is wrong, such as `metadata.tags`. */
  override readonly details: string;

  constructor(message: string, field: string, code: InputCode = 'invalid_request') {
    super(message);
    this.code = code;
    this.details = field;
  }
}

export const invalid = (field: string, message: string): InputError => new InputError(message, field);
