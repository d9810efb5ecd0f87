import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { installPythonClient, pythonIn } from './support/installed-clients.ts';
import { LossyProxy } from './support/lossy-proxy.ts';
import { Mneme, OWNER_KEY } from './support/mneme.ts';

/** The published client from PyPI against this server; `clients/python/flows.py` has the flows. */

const client = await installPythonClient();
const FLOWS = join(import.meta.dirname, 'clients', 'python');

if ('missing' in client) {
  test.skip(`SKIPPED: ${client.missing}`, () => {});
} else {
  let mneme: Mneme;
  let lossy: LossyProxy;

  beforeAll(async () => {
    mneme = await Mneme.start();
    lossy = await LossyProxy.start(() => mneme.url);
  });
  afterAll(async () => {
    await lossy.stop();
    await mneme.stop();
  });

  test.each(['SynchronousClient', 'AsynchronousClient'])(
    '%s: every flow',
    async (name) => {
      const python = spawn(pythonIn(client.folder), ['-B', '-m', 'unittest', `flows.${name}`], {
        cwd: FLOWS,
        env: {
          PATH: process.env.PATH,
          LOSSY_URL: lossy.url,
          SUPERMEMORY_BASE_URL: mneme.url,
          SUPERMEMORY_API_KEY: OWNER_KEY,
        },
        stdio: ['ignore', 'inherit', 'pipe'],
      });
      const report = await text(python.stderr);
      expect(report).toMatch(/^Ran 12 tests in .*\n\nOK$/m);
    },
    120_000,
  );
}
