import { writeSync } from 'node:fs';
import { connectNats } from '#platform/nats';
import { openNatsLeases } from '../../index.ts';

/**
 * Runs in a process of its own: `<url> <bucket> <name>` acquires the lease whenever it can, and prints
 * `held <fencing token>` when it has the lease and `lost <fencing token>` when the signal of the lease aborts. SIGTERM
 * releases the lease.
 */
const [url, bucket, name] = process.argv.slice(2) as [string, string, string];

const end = new AbortController();
process.on('SIGTERM', () => end.abort());
const connection = await connectNats({ url, name: 'holder' });
const leases = await openNatsLeases({ connection, bucket });
writeSync(1, 'ready\n');
await leases.hold(name, {
  signal: end.signal,
  run: async ({ fencingToken, signal }) => {
    writeSync(1, `held ${fencingToken}\n`);
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    writeSync(1, `lost ${fencingToken}\n`);
  },
});
await connection.close();
