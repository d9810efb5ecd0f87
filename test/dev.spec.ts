import { Checkout, type RunningCommand, serverSettings } from './support/checkout.ts';

/** `npm run dev`: the server restarts when a change of the sources gives another build. */

const GREETING = 'apps/server/src/greeting.ts';

let checkout: Checkout;
let dev: RunningCommand;
beforeAll(async () => {
  checkout = await Checkout.copy();
  dev = checkout.start('npm', ['run', 'dev'], serverSettings(checkout, 'data'));
  await dev.shows(/listens on/);
});
afterAll(() => checkout.remove());

const greet = (text: string) =>
  checkout.change(GREETING, (source) => source.replace(/\w+ listens on/, `${text} listens on`));

test('a change is built and served, and one that cannot be compiled leaves the server as it is', async () => {
  const first = dev.output.length;
  await greet('Changed');
  const [, url] = await dev.shows(/Changed listens on (http:\S+)/, first);

  const second = dev.output.length;
  await checkout.change(GREETING, (source) => `${source}export const = ;\n`);
  await dev.shows(/greeting\.ts/, second);
  expect((await fetch(`${url}/v3/health`)).status).toBe(200);

  const third = dev.output.length;
  await checkout.change(GREETING, (source) => source.replace('export const = ;\n', ''));
  await greet('Repaired');
  const [, last] = await dev.shows(/Repaired listens on (http:\S+)/, third);
  await dev.end('SIGINT');
  await expect(fetch(`${last}/v3/health`)).rejects.toThrow();
});
