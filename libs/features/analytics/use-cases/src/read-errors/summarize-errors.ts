import { isFailure, type Period, type RequestType } from '#ports/analytics';
import type { FailedType, RequestErrors } from './read-errors.query.ts';

/** What failed in some periods. All types are listed. */
export function summarizeErrors(periods: readonly Period[]): Omit<RequestErrors, 'totalTypes'> {
  const types = new Map<RequestType, { type: RequestType; count: number; statuses: Set<number>; last: number }>();
  const hours = new Map<number, Map<RequestType, number>>();
  const byStatus: Record<string, number> = {};
  let [requests, errors] = [0, 0];
  for (const period of periods) {
    for (const [name, statuses] of Object.entries(period.types)) {
      const type = name as RequestType;
      for (const [text, { count, last }] of Object.entries(statuses)) {
        requests += count;
        const status = Number(text);
        if (!isFailure(status)) continue;
        errors += count;
        byStatus[text] = (byStatus[text] ?? 0) + count;
        const failed = types.get(type) ?? { type, count: 0, statuses: new Set(), last: 0 };
        types.set(type, failed);
        failed.count += count;
        failed.statuses.add(status);
        failed.last = Math.max(failed.last, last);
      }
    }
    for (const [at, { errors: failed }] of Object.entries(period.hours)) {
      const hour = hours.get(Number(at)) ?? new Map<RequestType, number>();
      for (const [name, count] of Object.entries(failed)) {
        const type = name as RequestType;
        hour.set(type, (hour.get(type) ?? 0) + count);
      }
      if (hour.size > 0) hours.set(Number(at), hour);
    }
  }
  return {
    ...{ requests, errors, byStatus },
    types: [...types.values()]
      .map((one): FailedType => ({ ...one, statuses: [...one.statuses].sort((a, b) => a - b) }))
      .sort((a, b) => b.count - a.count || (a.type < b.type ? -1 : 1)),
    hours: [...hours]
      .map(([at, failed]) => ({
        at,
        count: [...failed.values()].reduce((sum, count) => sum + count, 0),
        types: [...failed.keys()].sort(),
      }))
      .sort((a, b) => a.at - b.at),
  };
}
