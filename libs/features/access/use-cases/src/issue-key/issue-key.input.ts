import { IsOneOf, IsText, IsWholeNumber, Required, ShownBy } from '#platform/input';
import type { Principal, Role } from '#platform/kernel';
import { IssueKey } from './issue-key.command.ts';

const MAX_DAYS = 365;
const MAX_REQUESTS = 10_000;
const MAX_WINDOW_MS = 3_600_000;
const USUAL_WINDOW_MS = 60_000;
const USUAL_REQUESTS = 500;

/** What every key may be limited by. */
export class KeyLimitsInput {
  /** Days until the key is refused. Default: it does not expire. */
  @IsWholeNumber(1, MAX_DAYS)
  expiresInDays?: number;

  /** Requests in a window. */
  @IsWholeNumber(1, MAX_REQUESTS)
  rateLimitMax?: number;

  /** Length of a window that begins with its first request. Milliseconds. */
  @IsWholeNumber(1, MAX_WINDOW_MS)
  rateLimitTimeWindow?: number;
}

/** A key that reaches all tags of the organization. */
@ShownBy({
  'A key for one application': { name: 'Support desk' },
  'A key that only reads, for 30 days': { name: 'Report', permission: 'read', expiresInDays: 30 },
})
export class IssueKeyInput extends KeyLimitsInput {
  /** For people, to tell keys apart. */
  @Required()
  @IsText({ min: 1, max: 100 })
  name!: string;

  /** `read`: the key changes and manages nothing. Default: write. */
  @IsOneOf(['read', 'write'])
  permission?: 'read' | 'write';

  /** At most the role of the key that makes it. Default: member. */
  @IsOneOf(['owner', 'admin', 'member'])
  role?: Role;
}

export function issueKey(principal: Principal, body: IssueKeyInput): IssueKey {
  const { name, permission, role = 'member', expiresInDays = null } = body;
  const { rateLimitMax, rateLimitTimeWindow } = body;
  const isLimited = rateLimitMax !== undefined || rateLimitTimeWindow !== undefined;
  const limits = { ...(permission === 'read' && { permission }), ...(isLimited && { rateLimit: rateLimitOf(body) }) };
  return new IssueKey(principal, { name, role, limits, expiresInDays });
}

export const rateLimitOf = ({
  rateLimitMax = USUAL_REQUESTS,
  rateLimitTimeWindow = USUAL_WINDOW_MS,
}: KeyLimitsInput): { readonly requests: number; readonly seconds: number } => ({
  requests: rateLimitMax,
  seconds: rateLimitTimeWindow / 1_000,
});
