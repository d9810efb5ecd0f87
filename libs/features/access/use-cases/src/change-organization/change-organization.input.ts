import { IsFlag, IsNested, IsText, IsWholeNumber, invalid, Nullable, ShownBy } from '#platform/input';
import { MAX_NAME } from '../create-organization/create-organization.input.ts';
import { ChangeOrganization } from './change-organization.command.ts';

/** Most of a quota: numbers are exact up to here. */
const MOST = Number.MAX_SAFE_INTEGER;

/** What an organization may have and add at most. Fields that are not sent stay; null: no limit. */
class QuotasInput {
  /** Documents at the same time. */
  @Nullable()
  @IsWholeNumber(0, MOST)
  documents?: number | null;

  /** Bytes of files and characters of texts, as they were sent. */
  @Nullable()
  @IsWholeNumber(0, MOST)
  storedBytes?: number | null;

  /** New documents, and memories sent to be recorded, in a day (UTC). */
  @Nullable()
  @IsWholeNumber(0, MOST)
  addsPerDay?: number | null;

  /** Tokens of passages that get vectors in a month (UTC). */
  @Nullable()
  @IsWholeNumber(0, MOST)
  tokensPerMonth?: number | null;
}

/** What to change of an organization. Fields that are not sent stay. */
@ShownBy({
  'Refuse all its keys': { suspended: true },
  'Limit what it has and adds': { quotas: { documents: 10_000, addsPerDay: 500 } },
  'Another name': { name: 'North Harbour Ltd' },
})
export class ChangeOrganizationInput {
  /** For people, to tell organizations apart. */
  @IsText({ min: 1, max: MAX_NAME })
  name?: string;

  /** `true`: its keys are refused with 403 until it is `false` again. */
  @IsFlag()
  suspended?: boolean;

  /** What it may have and add at most. */
  @IsNested(QuotasInput)
  quotas?: QuotasInput;
}

export function changeOrganization(
  id: string,
  { name, suspended, quotas }: ChangeOrganizationInput,
): ChangeOrganization {
  if (name === undefined && suspended === undefined && quotas === undefined) {
    throw invalid('body', 'The body must name a field to change');
  }
  const changes = {
    ...(name !== undefined && { name }),
    ...(suspended !== undefined && { isSuspended: suspended }),
  };
  return new ChangeOrganization(id, changes, { ...quotas });
}
