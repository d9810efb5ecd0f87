import { ACTIONS } from '#features/audit';
import { IsDateText, IsOneOf, IsOrdinal, IsText, invalid, pageOfList, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { ListAudit } from './list-audit.query.ts';

const MAX_LIMIT = 100;

/** Which actions to list. */
@ShownBy({ 'What a key has deleted': { actor: 'key:5kNc2Rt8Wq0Zx4Vb7Ym1Ja', action: 'document.deleted' } })
export class ListAuditInput {
  /** Only actions of this actor: `key:` and the id of a key, `member:` and the id of a member who was signed in, or `system`. */
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

export function listAudit(principal: Principal, body: ListAuditInput): ListAudit {
  const [from, to] = [timeOf(body.from), timeOf(body.to)];
  if (from !== null && to !== null && from > to) throw invalid('to', 'to must not be before from');
  return new ListAudit(principal, {
    ...{ actor: body.actor ?? null, action: body.action ?? null, from, to },
    ...pageOfList(body, MAX_LIMIT),
  });
}

const timeOf = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text));
