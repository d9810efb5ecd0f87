import { Command } from '@nestjs/cqrs';
import type { ChangeRefusal, Organization, OrganizationChanges } from '#features/access';
import type { Result } from '#platform/kernel';

/** Renames, suspends or resumes an organization. */
export class ChangeOrganization extends Command<Result<Organization, ChangeRefusal>> {
  constructor(
    readonly id: string,
    readonly changes: OrganizationChanges,
  ) {
    super();
  }
}
