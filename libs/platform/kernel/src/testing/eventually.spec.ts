import { eventually, until } from './eventually.ts';

it('until() returns the first value that fulfils the condition', async () => {
  let count = 0;

  expect(
    await until(
      () => ++count,
      (value) => value === 60,
    ),
  ).toBe(60);
});

it('until() names what was awaited and the last value when the time is over', async () => {
  const workers = ['one'];

  await expect(
    until(
      () => workers,
      ({ length }) => length === 2,
      50,
    ),
  ).rejects.toThrow(/^Not within 50 ms: \(\)\s?=>\s?workers with .*length === 2\. Last value: \[ 'one' \]$/);
});

it('eventually() names what was awaited when the time is over', async () => {
  const status = 'queued';

  await expect(eventually(async () => (status === ('done' as string) ? status : null), 50)).rejects.toThrow(
    /^No value within 50 ms: async \(\)\s?=>\s?status === 'done'/,
  );
});
