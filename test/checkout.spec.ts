import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Checkout, serverSettings } from './support/checkout.ts';
import { Mneme } from './support/mneme.ts';

/** Starts and builds of one checkout beside its running servers. */

let checkout: Checkout;
beforeAll(async () => {
  checkout = await Checkout.copy();
});
afterAll(() => checkout.remove());

const healthOf = async (url: string) => (await fetch(`${url}/v3/health`)).status;

test('two starts at once build and serve', async () => {
  const starts = ['one', 'other'].map((folder) => checkout.start('npm', ['start'], serverSettings(checkout, folder)));
  for (const start of starts) {
    const [, url] = await start.shows(/listens on (http:\S+)/);
    expect(await healthOf(url as string)).toBe(200);
  }
  await Promise.all(starts.map((start) => start.end()));
});

test('a child that a server starts after a later build runs the code of the server', async () => {
  // Longer than what is read in the server's own process.
  const text = Array.from({ length: 2_000 }, (_, i) => `Bed ${i} has ${i % 89} seeds.`).join(' ');
  const env = { MNEME_DOWNLOADS: 'off' };
  await checkout.build();
  const before = await Mneme.start({ root: checkout.root, env });
  const marker = join(checkout.root, 'started');
  await checkout.change(
    'libs/processing/extraction/src/extract.child.ts',
    (source) => `${source}\nwriteFileSync(${JSON.stringify(marker)}, '');\n`,
  );
  await checkout.build();
  try {
    await before.addAndWait(text);
    expect(existsSync(marker)).toBe(false);
    const after = await Mneme.start({ root: checkout.root, env });
    try {
      await after.addAndWait(text);
      expect(existsSync(marker)).toBe(true);
      expect(await healthOf(before.url)).toBe(200);
    } finally {
      await after.stop();
    }
  } finally {
    await before.stop();
  }
});
