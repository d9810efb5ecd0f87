import { fork } from 'node:child_process';
import type { FromLoad, LoadRequest, LoadResult } from '../load.child.ts';

const CHILD = new URL('../load.child.ts', import.meta.url);

/**
 * Sends requests from a separate process, so that building them does not disturb the measurement.
 * @param onMeasuring called after the warm-up
 */
export function load(request: LoadRequest, onMeasuring: () => void = () => undefined): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const child = fork(CHILD, [JSON.stringify(request)], { serialization: 'advanced' });
    child.on('message', (message: FromLoad) => {
      if ('measuring' in message) return onMeasuring();
      resolve(message.result);
      child.disconnect();
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the load ended with code ${code} before its result`)));
  });
}
