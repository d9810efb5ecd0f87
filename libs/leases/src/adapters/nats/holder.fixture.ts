import { writeSync } from 'node:fs';
import { connectNats } from '#nats';
import { openNatsLeases } from '../../index.ts';

/**
 * A process of its own for the specs: `<url> <bucket> <name>` holds the lease whenever it can, and writes a line
 * `held <epoch>` when it has got it and `lost <epoch>` when its signal aborts. SIGTERM ends it in order.
 */
const [url, bucket, name] = process.argv.slice(2) as [string, string, string];

const end = new AbortController();
process.on('SIGTERM', () => end.abort());
const connection = await connectNats({ url, name: 'holder' });
const leases = await openNatsLeases({ connection, bucket });
writeSync(1, 'ready\n');
await leases.hold(name, {
  signal: end.signal,
  run: async ({ epoch, signal }) => {
    writeSync(1, `held ${epoch}\n`);
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    writeSync(1, `lost ${epoch}\n`);
  },
});
await connection.close();
