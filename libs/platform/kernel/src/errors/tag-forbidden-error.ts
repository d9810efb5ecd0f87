import { MnemeError } from './mneme-error.ts';

/** A request names a tag that its principal may not read. */
export class TagForbiddenError extends MnemeError {
  override readonly name = 'TagForbiddenError';
  readonly kind = 'permanent';
  readonly code = 'tag_forbidden';

  constructor(tag: string) {
    super(`The key may not read ${tag}`);
  }
}
