import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

test('a time without a zone is in UTC, whatever the zone of the machine', async () => {
  const program = `import { isoDateOf } from ${JSON.stringify(new URL('dates.ts', import.meta.url))};
    console.log(['2024-03-05 23:30', '2024-03-05T00:30:00', '2024-03-05T00:30:00+02:00', '2024-03-05'].map(isoDateOf).join());`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    env: { ...process.env, TZ: 'Asia/Tokyo' },
  });
  expect(stdout.trim().split(',')).toEqual([
    ...['2024-03-05T23:30:00.000Z', '2024-03-05T00:30:00.000Z', '2024-03-04T22:30:00.000Z', '2024-03-05'],
  ]);
});
