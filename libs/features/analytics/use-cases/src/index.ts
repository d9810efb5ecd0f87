export { AnalyticsInput, analyticsPage, SpanInput, spanOf } from './analytics.input.ts';
export { AnalyticsModule } from './analytics.module.ts';
export type { Summary } from './figures.ts';
export { ListRequestsInput, listRequests } from './list-requests/list-requests.input.ts';
export type { RequestList } from './list-requests/list-requests.query.ts';
export { ReadErrors, type RequestErrors } from './read-errors/read-errors.query.ts';
export { type AnalyticsTotals, ReadTotals } from './read-totals/read-totals.query.ts';
export { ReadUsage, type Usage } from './read-usage/read-usage.query.ts';
