import { MnemeError } from './mneme-error.ts';

/** A request asks for something that its principal may not do. */
export class ForbiddenError extends MnemeError {
  readonly kind = 'permanent';
  readonly code = 'forbidden';
  /** The part of the request that is refused. */
  override readonly details: string;

  constructor(message: string, field: string) {
    super(message);
    this.details = field;
  }
}
