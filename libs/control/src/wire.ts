export const VERSION_HEADER = 'x-mneme-version';
export const NDJSON = 'application/x-ndjson; charset=utf-8';

/** What is answered, a line each. The last one is an end or an error. */
export type Line =
  | { readonly line: object }
  | { readonly end: true }
  | { readonly error: { readonly name: string; readonly message: string } };
