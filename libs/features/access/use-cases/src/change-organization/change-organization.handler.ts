import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ChangeRefusal, type Organization, OrganizationRepository } from '#features/access';
import { QuotaRepository } from '#features/quotas';
import type { Result } from '#platform/kernel';
import { systemCause } from '#ports/event-store';
import { ChangeOrganization } from './change-organization.command.ts';

@CommandHandler(ChangeOrganization)
export class ChangeOrganizationHandler implements ICommandHandler<ChangeOrganization> {
  constructor(
    private readonly organizations: OrganizationRepository,
    private readonly quotas: QuotaRepository,
  ) {}

  async execute({ id, changes, quotas }: ChangeOrganization): Promise<Result<Organization, ChangeRefusal>> {
    const changed = await this.organizations.change(systemCause(), id, changes);
    if (changed.ok) await this.quotas.change(changed.value.id, systemCause(), quotas);
    return changed;
  }
}
