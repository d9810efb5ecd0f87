import { performance } from 'node:perf_hooks';

export interface Timed<T> {
  readonly found: T;
  /** Milliseconds, rounded to a tenth. */
  readonly timing: number;
}

export async function timed<T>(search: () => Promise<T>): Promise<Timed<T>> {
  const start = performance.now();
  const found = await search();
  return { found, timing: Math.round((performance.now() - start) * 10) / 10 };
}
