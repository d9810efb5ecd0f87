export { FILE_BYTES, PAGE_BYTES } from './body.ts';
export { FetchFailedError, FetchRefusedError } from './errors.ts';
export { type FetchOptions, openFetch } from './open-fetch.ts';
export type { AllowRule } from './policy.ts';
export type { Fetch, FetchRequest } from './port.ts';
