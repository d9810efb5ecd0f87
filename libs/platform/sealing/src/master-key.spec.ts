import { inspect } from 'node:util';
import { parseMasterKeys } from './master-key.ts';

const bytes = Buffer.alloc(32, 0xfb);

test('a key has the same meaning in each of its forms', () => {
  const forms = [
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    bytes.toString('base64'),
    bytes.toString('base64url'),
  ];
  expect(new Set(forms.map((form) => parseMasterKeys(form)[0].id)).size).toBe(1);
  expect(parseMasterKeys(forms.join(',\n'))).toHaveLength(4);
});

test.each(['', ' , ', 'a password', bytes.toString('hex').slice(2), `${bytes.toString('base64')}A`])(
  '"%s" is refused without being quoted',
  (text) => {
    expect(() => parseMasterKeys(text)).toThrow(/^must be 32 random bytes in base64/);
  },
);

test('a key that is printed shows its id only', () => {
  const [key] = parseMasterKeys(bytes.toString('hex'));
  for (const text of [inspect(key), JSON.stringify(key), String(key)]) expect(text).not.toMatch(/(fb){2}|\+\/v7/);
  expect(key.derive('secrets')).not.toEqual(key.derive('file names'));
});
