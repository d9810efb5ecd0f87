import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type DeleteRefusal, type Organization, OrganizationRepository } from '#features/access';
import type { Result } from '#platform/kernel';
import { systemCause } from '#ports/event-store';
import { DeleteOrganization } from './delete-organization.command.ts';

@CommandHandler(DeleteOrganization)
export class DeleteOrganizationHandler implements ICommandHandler<DeleteOrganization> {
  constructor(private readonly organizations: OrganizationRepository) {}

  execute({ id }: DeleteOrganization): Promise<Result<Organization, DeleteRefusal>> {
    return this.organizations.delete(systemCause(), id);
  }
}
