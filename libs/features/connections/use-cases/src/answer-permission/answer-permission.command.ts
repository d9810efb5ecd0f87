import { Command } from '@nestjs/cqrs';
import type { Result } from '#platform/kernel';
import type { LinkRefusal } from '../flows.ts';

/**
 * Takes the answer of a person: stores the connection, or gives the permission back. Returns the address to which the browser
 * goes.
 */
export class AnswerPermission extends Command<Result<string, LinkRefusal>> {
  constructor(
    readonly request: string,
    readonly allow: boolean,
  ) {
    super();
  }
}
