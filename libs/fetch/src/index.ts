export { FILE_BYTES, PAGE_BYTES } from './body.ts';
export { type FetchOptions, openFetch } from './open-fetch.ts';
export type { AllowRule } from './policy.ts';
export type { FetchRequest } from './port.ts';
