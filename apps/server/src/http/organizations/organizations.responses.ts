import type { Organization } from '#features/access';
import type { NewOrganization } from '#features/access/use-cases';
import type { KnownQuotas } from '#features/quotas';
import { isoTime } from '#platform/kernel';
import type { Count } from '../openapi/scalars.ts';

/** Answers about organizations. The classes are types only; none is instantiated. */

/** What an organization may have and add at most. Null: no limit. */
export class QuotaLimits {
  /** Documents at the same time. */
  readonly documents!: Count | null;
  /** Bytes of files and characters of texts, as they were sent. */
  readonly storedBytes!: Count | null;
  /** New documents, and memories sent to be recorded, in a day (UTC). */
  readonly addsPerDay!: Count | null;
  /** Tokens of passages that get vectors in a month (UTC). */
  readonly tokensPerMonth!: Count | null;
}

/** An organization. It owns all its data and shares none. */
export class OrganizationRecord {
  /** Id of the organization. */
  readonly id!: string;
  /** For people, to tell organizations apart. */
  readonly name!: string;
  /** `suspended`: its keys are refused with 403. `deleting`: with 401, and everything is being erased. */
  readonly state!: 'active' | 'suspended' | 'deleting';
  /** What it may have and add at most. `GET /v3/session` with one of its keys says what is used of it. */
  readonly quotas!: QuotaLimits;
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

const NO_LIMITS: QuotaLimits = { documents: null, storedBytes: null, addsPerDay: null, tokensPerMonth: null };

export const organizationRecord = (
  { id, name, state, createdAt }: Organization,
  quotas: Pick<KnownQuotas, 'of'>,
): OrganizationRecord => ({
  ...{ id, name, state, quotas: { ...NO_LIMITS, ...quotas.of(id) }, createdAt: isoTime(createdAt) },
});

export const organizationList = (
  organizations: readonly Organization[],
  quotas: Pick<KnownQuotas, 'of'>,
): OrganizationList => ({
  organizations: organizations.map((one) => organizationRecord(one, quotas)),
});

export const createdOrganization = (
  { organization, secret }: NewOrganization,
  quotas: Pick<KnownQuotas, 'of'>,
): CreatedOrganization => ({
  ...organizationRecord(organization, quotas),
  key: secret,
});
