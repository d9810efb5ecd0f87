import { Query } from '@nestjs/cqrs';
import type { AccessRefusal } from '#features/documents';
import type { Principal, Result } from '#platform/kernel';
import type { RecordedEvent } from '#ports/event-store';

/** The events of a memory that was recorded directly, oldest first: by the id of its first version also after its deletion. */
export class GetMemoryEvents extends Query<
  Result<readonly RecordedEvent[], Exclude<AccessRefusal, 'not_found'> | 'memory_not_found'>
> {
  constructor(
    readonly principal: Principal,
    readonly id: string,
  ) {
    super();
  }
}
