import { type Fetch, FetchFailedError } from '#platform/fetch';
import { RobotRules } from './robots.ts';
import { RobotsFile } from './robots-file.ts';

const isAllowed = (text: string, path: string) =>
  new RobotsFile(text, 'mneme').isAllowed(new URL(path, 'https://site.test'));

test.each([
  ['Disallow: /private', '/private/a', false],
  ['Disallow: /private', '/public', true],
  ['Disallow:', '/a', true],
  ['Disallow: /', '/robots.txt', true],
  ['Disallow: /a\nAllow: /a/b', '/a/b/c', true],
  ['Allow: /a\nDisallow: /a', '/a', true],
  ['Disallow: /*.pdf$', '/x/y.pdf', false],
  ['Disallow: /*.pdf$', '/x/y.pdf?page=1', true],
  ['Disallow: /a*b*c', '/a-b-c-d', false],
  ['Disallow: /a*b*c', '/a-c-b', true],
  ['Disallow: /ab*b$', '/ab', true],
  ['Disallow: /a$', '/a', false],
  ['Disallow: /*?session=', '/a?session=1', false],
  ['disallow : /kr%c3%A4ne # cranes', '/kräne', false],
  ['Disallow: /kräne', '/kr%C3%A4ne', false],
])('%j and %s: %s', (rules, path, expected) => {
  expect(isAllowed(`User-agent: *\r\n${rules}`, path)).toBe(expected);
});

test('a group that names the program counts instead of that for all programs', () => {
  const text = 'User-agent: *\nDisallow: /\n\nUser-agent: other\nUser-agent: Mneme/1.0\nDisallow: /a\n';
  expect([isAllowed(text, '/b'), isAllowed(text, '/a')]).toEqual([true, false]);
  expect(isAllowed('User-agent: mnemesis\nDisallow: /', '/')).toBe(true);
  expect(isAllowed('Disallow: /', '/')).toBe(true);
});

test('patterns and addresses that are long on purpose are compared', () => {
  const pattern = `/*${'a'.repeat(2_000)}*b`;
  const text = `User-agent: *\n${`Disallow: ${pattern}\n`.repeat(250)}`;
  expect(isAllowed(text, `/${'a'.repeat(4_900)}`)).toBe(true);
  expect(isAllowed(`User-agent: *\nDisallow: /${'*a'.repeat(100_000)}$`, `/${'a'.repeat(4_900)}`)).toBe(true);
});

function answering(answer: () => AsyncIterable<Uint8Array>) {
  const asked: string[] = [];
  const get = async (url: string, _: unknown, use: (response: { body: AsyncIterable<Uint8Array> }) => unknown) => {
    asked.push(url);
    return use({ body: answer() });
  };
  return { asked, rules: new RobotRules({ get } as unknown as Fetch) };
}

test('the file is asked for once, and read up to 512 KiB', async () => {
  let pieces = 0;
  const endless = answering(async function* () {
    for (;;) {
      pieces += 1;
      yield Buffer.from(`${pieces === 1 ? 'User-agent: *\nDisallow: /a\n' : ''}${'# \n'.repeat(10_000)}`);
    }
  });
  await expect(endless.rules.check(new URL('https://site.test/a'))).rejects.toMatchObject({ code: 'fetch_refused' });
  await endless.rules.check(new URL('https://site.test/b'));
  expect(endless.asked).toEqual(['https://site.test/robots.txt']);
  expect(pieces).toBeLessThan(30);
});

test('a site without the file permits everything, and one that does not answer is asked later', async () => {
  for (const isTemporary of [true, false]) {
    const { rules } = answering(() => {
      throw new FetchFailedError('no', { isTemporary });
    });
    const checked = rules.check(new URL('https://site.test/a'));
    await (isTemporary ? expect(checked).rejects.toMatchObject({ isTemporary }) : checked);
  }
});
