import { IsText, Required, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { SwitchOrganization } from './switch-organization.command.ts';

/** The organization to go on in. */
@ShownBy({ 'Go on in another organization': { orgId: '7Qm0000000000000000000' } })
export class SwitchOrganizationInput {
  /** Id of an organization of the person, as `memberships` of `GET /v3/session` lists it. */
  @Required()
  @IsText({ min: 1, max: 100 })
  orgId!: string;
}

export const switchOrganization = (principal: Principal, { orgId }: SwitchOrganizationInput): SwitchOrganization =>
  new SwitchOrganization(principal, orgId);
