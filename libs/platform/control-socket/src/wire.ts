import type { ErrorRecord } from '#platform/kernel';

export const VERSION_HEADER = 'x-mneme-version';
export const NDJSON = 'application/x-ndjson; charset=utf-8';

/** Lines of an answer. The last one is an end or an error. */
export type Line = { readonly line: object } | { readonly end: true } | { readonly error: Omit<ErrorRecord, 'stack'> };
