import type { Organization } from '#features/access';
import type { NewOrganization } from '#features/access/use-cases';
import { isoTime } from '#platform/kernel';

/** Answers about organizations. The classes are types only; none is instantiated. */

/** An organization. It owns all its data and shares none. */
export class OrganizationRecord {
  /** Id of the organization. */
  readonly id!: string;
  /** For people, to tell organizations apart. */
  readonly name!: string;
  /** `suspended`: its keys are refused with 403. `deleting`: with 401, and everything is being erased. */
  readonly state!: 'active' | 'suspended' | 'deleting';
  /** When it was created. */
  readonly createdAt!: string;
}

/** The organizations of the installation. */
export class OrganizationList {
  /** The first founded first. Deleted ones are left out. */
  readonly organizations!: readonly OrganizationRecord[];
}

/** A new organization. Only this answer has the secret of its owner key. */
export class CreatedOrganization extends OrganizationRecord {
  /** The secret of its first owner key: the value for `Authorization: Bearer`. It cannot be read again. */
  readonly key!: string;
}

export const organizationRecord = ({ id, name, state, createdAt }: Organization): OrganizationRecord => ({
  ...{ id, name, state, createdAt: isoTime(createdAt) },
});

export const organizationList = (organizations: readonly Organization[]): OrganizationList => ({
  organizations: organizations.map(organizationRecord),
});

export const createdOrganization = ({ organization, secret }: NewOrganization): CreatedOrganization => ({
  ...organizationRecord(organization),
  key: secret,
});
