import { Query } from '@nestjs/cqrs';
import type { Principal, Result } from '#platform/kernel';
import type { ResourceRequest } from '#ports/connectors';
import type { Choice } from '../choices.ts';

/** Lists what can be chosen of a source. */
export class ListResources extends Query<Result<Choice, 'connection_not_found'>> {
  constructor(
    readonly principal: Principal,
    readonly id: string,
    readonly request: ResourceRequest,
  ) {
    super();
  }
}
