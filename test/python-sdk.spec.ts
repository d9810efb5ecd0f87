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
  const python = pythonIn(client.folder);
  const CLASSES = ['SynchronousClient', 'AsynchronousClient'];
  let mneme: Mneme;
  let lossy: LossyProxy;
  let reports: readonly string[];

  // Both at the same time, because they mostly wait before they send a lost request again.
  beforeAll(async () => {
    mneme = await Mneme.start();
    lossy = await LossyProxy.start(() => mneme.url);
    reports = await Promise.all(CLASSES.map((name) => reportOf(name)));
  });
  afterAll(async () => {
    await lossy.stop();
    await mneme.stop();
  });

  test.each(CLASSES)('%s: every flow', (name) => {
    expect(reports[CLASSES.indexOf(name)]).toMatch(/^Ran 12 tests in .*\n\nOK$/m);
  });

  /** Runs the flows of one class, and returns what the test runner of Python says. */
  function reportOf(name: string): Promise<string> {
    const run = spawn(python, ['-B', '-m', 'unittest', `flows.${name}`], {
      cwd: FLOWS,
      env: {
        PATH: process.env.PATH,
        LOSSY_URL: lossy.url,
        SUPERMEMORY_BASE_URL: mneme.url,
        SUPERMEMORY_API_KEY: OWNER_KEY,
      },
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    return text(run.stderr);
  }
}
