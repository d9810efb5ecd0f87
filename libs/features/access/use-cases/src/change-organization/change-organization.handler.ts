import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ChangeRefusal, type Organization, OrganizationRepository } from '#features/access';
import type { Result } from '#platform/kernel';
import { systemCause } from '#ports/event-store';
import { ChangeOrganization } from './change-organization.command.ts';

@CommandHandler(ChangeOrganization)
export class ChangeOrganizationHandler implements ICommandHandler<ChangeOrganization> {
  constructor(private readonly organizations: OrganizationRepository) {}

  execute({ id, changes }: ChangeOrganization): Promise<Result<Organization, ChangeRefusal>> {
    return this.organizations.change(systemCause(), id, changes);
  }
}
