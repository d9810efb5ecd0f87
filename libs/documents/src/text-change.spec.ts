import { jest } from '@jest/globals';
import fc from 'fast-check';
import { type Comparison, compareTexts } from './text-change.ts';

const PLAIN: Comparison = { isRepeatedDelta: false, overwrites: false };
const kindOf = async (stored: string, sent: string, comparison = PLAIN) =>
  (await compareTexts(stored, sent, comparison)).kind;
const lines = (count: number, of = (i: number) => `Line ${i} of the report.`) =>
  Array.from({ length: count }, (_, i) => of(i));

describe('row 1: the same text', () => {
  test.each([
    ['plainly', PLAIN],
    ['as a repeated delta', { ...PLAIN, isRepeatedDelta: true }],
    ['of a client that overwrites', { ...PLAIN, overwrites: true }],
  ])('sent %s, then nothing changes', async (_, comparison) => {
    expect(await compareTexts('a\nb', 'a\nb', comparison)).toEqual({ kind: 'none' });
  });
});

test('row 2: a repeated delta changes nothing, also if the client overwrites', async () => {
  expect(await compareTexts('a\nb', 'b', { isRepeatedDelta: true, overwrites: true })).toEqual({ kind: 'none' });
});

test('row 3: a client that overwrites replaces the text, whether it grew or is another one', async () => {
  const overwrites = { ...PLAIN, overwrites: true };
  expect(await compareTexts('a', 'ab', overwrites)).toEqual({ kind: 'replace', text: 'ab' });
  expect(await compareTexts('a', 'z', overwrites)).toEqual({ kind: 'replace', text: 'z' });
});

test('row 4: a text that begins with the stored one appends its rest, unchanged', async () => {
  expect(await compareTexts('a\nb', 'a\nb\nc', PLAIN)).toEqual({ kind: 'append', text: '\nc', isDelta: false });
});

describe('row 5: an edited version of a text of 200 code units or more', () => {
  const stored = lines(20).join('\n');

  test.each([
    ['a changed beginning', `X${stored.slice(1)}`],
    ['a changed end', `${stored.slice(0, -9)}drawing.`],
    ['a change in the middle', stored.replace('Line 9 of', 'Row nine of')],
    ['an insertion in the middle', stored.replace('Line 9', 'One more line.\nLine 9')],
    ['its first half removed', stored.slice(stored.length / 2)],
    ['its lines in another order', lines(20).reverse().join('\n')],
    ['every second line changed', lines(20, (i) => (i % 2 ? `Other ${i}` : `Line ${i} of the report.`)).join('\n')],
  ])('with %s replaces the text', async (_, sent) => {
    expect(await compareTexts(stored, sent, PLAIN)).toEqual({ kind: 'replace', text: sent });
  });

  test('is one whose common beginning and end cover exactly half', async () => {
    const half = 'a'.repeat(60);
    const old = `${half}${'b'.repeat(120)}${half}`;
    expect(await kindOf(old, `${half}${'c'.repeat(500)}${half}`)).toBe('replace');
    expect(await kindOf(old, `${half}${'c'.repeat(500)}${half.slice(1)}`)).toBe('append');
  });

  test('is one whose equal lines cover exactly half, each counted as often as both have it', async () => {
    const old = `${'aaaa\n'.repeat(20)}${'bbbb\n'.repeat(20)}`;
    expect(await kindOf(old, `x${'aaaa\n'.repeat(2)}${'y\naaaa\n'.repeat(19)}z`)).toBe('replace');
    expect(await kindOf(old, `x${'aaaa\n'.repeat(2)}${'y\naaaa\n'.repeat(17)}z`)).toBe('append');
  });

  test('does not count a part as beginning and as end', async () => {
    const old = `${'a'.repeat(150)}${'b'.repeat(110)}`;
    expect(await kindOf(`b${old}`, `c${'a'.repeat(100)}`)).toBe('append');
    expect(await kindOf('a'.repeat(300), 'a'.repeat(100))).toBe('append');
  });
});

describe('row 5 and a text below 200 code units', () => {
  test.each([
    ['four fifths kept', 'abcdefghij', 'abcdefghXY', 'replace'],
    ['less kept', 'abcdefghij', 'abcdefgXYZ', 'append'],
    ['199 code units of which half is kept', 'a'.repeat(100) + 'b'.repeat(99), 'a'.repeat(100), 'append'],
    ['200 code units of which half is kept', 'a'.repeat(100) + 'b'.repeat(100), 'a'.repeat(100), 'replace'],
    ['a similar short delta', 'user: I like figs.', 'user: I like tea!', 'append'],
  ])('%s', async (_, stored, sent, kind) => {
    expect(await kindOf(stored, sent)).toBe(kind);
  });
});

describe('row 6: any other text is a delta', () => {
  test.each([
    ['on a new line', 'a', { kind: 'append', text: '\nb', isDelta: true }],
    ['without another line end if there is one', 'a\n', { kind: 'append', text: 'b', isDelta: true }],
  ])('appended %s', async (_, stored, expected) => {
    expect(await compareTexts(stored, 'b', PLAIN)).toEqual(expected);
  });
});

test('whatever is sent, the result is the sent text, or ends in it on a line of its own', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'é', '\ud800'), minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(text, text, async (stored, sent) => {
      const change = await compareTexts(stored, sent, PLAIN);
      if (change.kind === 'none') expect(sent).toBe(stored);
      else if (change.kind === 'replace' || !change.isDelta) {
        expect(change.kind === 'replace' ? change.text : stored + change.text).toBe(sent);
      } else {
        expect(`${stored}${change.text}`.endsWith(stored.endsWith('\n') ? sent : `\n${sent}`)).toBe(true);
        expect(sent.startsWith(stored)).toBe(false);
      }
    }),
  );
});

test('texts that differ in many short lines are compared in linear time', async () => {
  const stored = lines(200_000, (i) => `${i % 7}${i}`).join('\n');
  const sent = lines(200_000, (i) => `x${i}`).join('\n');
  expect(await kindOf(stored, sent)).toBe('append');
});

test.each([
  ['equal', (text: string) => text],
  ['different in every line', (text: string) => text.replaceAll('Line', 'Row').replaceAll('report', 'list')],
  ['longer at the beginning', (text: string) => `First.\n${text}`],
])('other work goes on while long texts are compared that are %s', async (_, change) => {
  const stored = lines(400_000).join('\n');
  const sent = change(stored);
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await new Promise((resolve) => setImmediate(resolve));
  // Every step seems to take long.
  let now = performance.now();
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => {
    now += 10;
    return now;
  });
  await compareTexts(stored, sent, PLAIN);
  clock.mockRestore();
  isDone = true;
  expect(turns).toBeGreaterThan(1);
});
