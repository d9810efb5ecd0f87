import { Query } from '@nestjs/cqrs';
import type { Result } from '#platform/kernel';
import type { ResourceRequest } from '#ports/connectors';
import type { Choice } from '../choices.ts';
import type { LinkRefusal } from '../flows.ts';

/** Lists what can be chosen of a source, for whoever has the link of the picker. */
export class ListChoices extends Query<Result<Choice, LinkRefusal>> {
  constructor(
    readonly link: string,
    readonly request: ResourceRequest,
  ) {
    super();
  }
}
