import { AsyncLocalStorage } from 'node:async_hooks';

const begun = new AsyncLocalStorage<number>();

/** Calls a function that handles a request. The age of the request counts from now. */
export const asRequest = <T>(handle: () => T): T => begun.run(performance.now(), handle);

/** Returns the age of the request that the caller works for, or 0 if it works for none. Milliseconds. */
export function requestAge(): number {
  const now = performance.now();
  return now - (begun.getStore() ?? now);
}
