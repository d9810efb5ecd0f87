import { Command } from '@nestjs/cqrs';
import type { DeleteRefusal, Organization } from '#features/access';
import type { Result } from '#platform/kernel';

/** Has everything of an organization erased, which goes on in the background. Its keys are unknown at once. */
export class DeleteOrganization extends Command<Result<Organization, DeleteRefusal>> {
  constructor(readonly id: string) {
    super();
  }
}
