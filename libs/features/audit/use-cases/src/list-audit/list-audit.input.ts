import { ACTIONS } from '#features/audit';
import { IsDateText, IsOneOf, IsOrdinal, IsText, invalid, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { ListAudit } from './list-audit.query.ts';

const MAX_LIMIT = 100;
/** Beyond the end of any list, and exact when multiplied by a limit. */
const MAX_PAGE = 1_000_000_000;

/** Which actions to list. */
@ShownBy({ 'What a key has deleted': { actor: 'key:5kNc2Rt8Wq0Zx4Vb7Ym1Ja', action: 'document.deleted' } })
export class ListAuditInput {
  /** Only actions of this actor: `key:` and the id of a key, or `system`. */
  @IsText({ min: 1, max: 255 })
  actor?: string;

  /** Only this action. */
  @IsOneOf(ACTIONS)
  action?: string;

  /** Only actions at this time or later. */
  @IsDateText()
  from?: string;

  /** Only actions at this time or earlier. */
  @IsDateText()
  to?: string;

  /** Number of the page, from 1. */
  @IsOrdinal()
  page: number | string = 1;

  /** Actions on a page. A value above 100 counts as 100. */
  @IsOrdinal()
  limit: number | string = 20;
}

export function listAudit(principal: Principal, { actor, action, page, limit, ...range }: ListAuditInput): ListAudit {
  const [from, to] = [timeOf(range.from), timeOf(range.to)];
  if (from !== null && to !== null && from > to) throw invalid('to', 'to must not be before from');
  return new ListAudit(principal, {
    ...{ actor: actor ?? null, action: action ?? null, from, to },
    ...{ page: Math.min(Number(page), MAX_PAGE), limit: Math.min(Number(limit), MAX_LIMIT) },
  });
}

const timeOf = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text));
