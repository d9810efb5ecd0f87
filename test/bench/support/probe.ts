import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { FromProbe } from '../probe.child.ts';

const CHILD = new URL('../probe.child.ts', import.meta.url);

/** `GET /` at a fixed interval from a separate process, whose own work does not delay it. */
export class Probe {
  readonly #child;

  /** @param everyMs interval in milliseconds */
  constructor(url: string, everyMs = 20) {
    this.#child = fork(CHILD, [url, String(everyMs)], { serialization: 'advanced' });
  }

  /** Returns the latencies of the requests since the last call, in milliseconds, when all of them are answered. */
  async latencies(): Promise<readonly number[]> {
    this.#child.send('latencies');
    const [{ latencies }] = (await once(this.#child, 'message')) as [FromProbe];
    return latencies;
  }

  end(): void {
    this.#child.disconnect();
  }
}
