import { Command } from '@nestjs/cqrs';
import type { Result } from '#platform/kernel';
import type { LinkRefusal } from '../flows.ts';

/**
 * A connection reads these resources from now on, as a person with the link of the picker has chosen. Returns where the browser
 * goes; null: it stays.
 */
export class AnswerChoices extends Command<Result<string | null, LinkRefusal>> {
  constructor(
    readonly link: string,
    readonly resources: readonly string[],
  ) {
    super();
  }
}
