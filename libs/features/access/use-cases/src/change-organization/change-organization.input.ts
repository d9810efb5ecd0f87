import { IsFlag, IsText, invalid, ShownBy } from '#platform/input';
import { MAX_NAME } from '../create-organization/create-organization.input.ts';
import { ChangeOrganization } from './change-organization.command.ts';

/** What to change of an organization. Fields that are not sent stay. */
@ShownBy({
  'Refuse all its keys': { suspended: true },
  'Another name': { name: 'North Harbour Ltd' },
})
export class ChangeOrganizationInput {
  /** For people, to tell organizations apart. */
  @IsText({ min: 1, max: MAX_NAME })
  name?: string;

  /** `true`: its keys are refused with 403 until it is `false` again. */
  @IsFlag()
  suspended?: boolean;
}

export function changeOrganization(id: string, { name, suspended }: ChangeOrganizationInput): ChangeOrganization {
  if (name === undefined && suspended === undefined) throw invalid('body', 'The body must name a field to change');
  return new ChangeOrganization(id, {
    ...(name !== undefined && { name }),
    ...(suspended !== undefined && { isSuspended: suspended }),
  });
}
