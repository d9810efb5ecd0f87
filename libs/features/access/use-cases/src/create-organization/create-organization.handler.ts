import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { createOrganization, KeyRepository, OrganizationRepository } from '#features/access';
import { CLOCK, type Clock } from '#platform/kernel';
import { CreateOrganization, type NewOrganization } from './create-organization.command.ts';

@CommandHandler(CreateOrganization)
export class CreateOrganizationHandler implements ICommandHandler<CreateOrganization> {
  constructor(
    private readonly organizations: OrganizationRepository,
    private readonly keys: KeyRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ name }: CreateOrganization): Promise<NewOrganization> {
    return createOrganization({ organizations: this.organizations, keys: this.keys, clock: this.clock }, name);
  }
}
