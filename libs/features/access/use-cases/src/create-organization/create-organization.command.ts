import { Command } from '@nestjs/cqrs';
import type { Organization } from '#features/access';

/** The only answer with the secret of its owner key. */
export interface NewOrganization {
  readonly secret: string;
  readonly organization: Organization;
}

/** Creates an organization with an owner key. The operator does so, who belongs to no organization. */
export class CreateOrganization extends Command<NewOrganization> {
  constructor(readonly name: string) {
    super();
  }
}
