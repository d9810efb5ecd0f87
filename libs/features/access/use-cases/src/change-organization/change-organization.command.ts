import { Command } from '@nestjs/cqrs';
import type { ChangeRefusal, Organization, OrganizationChanges } from '#features/access';
import type { QuotaChanges } from '#features/quotas';
import type { Result } from '#platform/kernel';

/** Renames, suspends or resumes an organization, and sets its quotas. */
export class ChangeOrganization extends Command<Result<Organization, ChangeRefusal>> {
  constructor(
    readonly id: string,
    readonly changes: OrganizationChanges,
    readonly quotas: QuotaChanges,
  ) {
    super();
  }
}
