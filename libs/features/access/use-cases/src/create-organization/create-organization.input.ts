import { IsText, Required, ShownBy } from '#platform/input';
import { CreateOrganization } from './create-organization.command.ts';

export const MAX_NAME = 100;

/** A new organization. */
@ShownBy({
  'An organization for a customer': { name: 'North Harbour' },
})
export class CreateOrganizationInput {
  /** For people, to tell organizations apart. */
  @Required()
  @IsText({ min: 1, max: MAX_NAME })
  name!: string;
}

export const newOrganization = ({ name }: CreateOrganizationInput): CreateOrganization => new CreateOrganization(name);
