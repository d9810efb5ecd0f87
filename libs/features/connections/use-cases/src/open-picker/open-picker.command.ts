import { Command } from '@nestjs/cqrs';
import type { Principal, Result } from '#platform/kernel';

/** Makes a link to a page on which a person chooses what a connection reads. It counts for an hour, for this alone. */
export class OpenPicker extends Command<Result<string, 'connection_not_found'>> {
  /** @param redirectUrl where the browser goes afterwards. Null: it stays */
  constructor(
    readonly principal: Principal,
    readonly id: string,
    readonly provider: string,
    readonly redirectUrl: string | null,
  ) {
    super();
  }
}
