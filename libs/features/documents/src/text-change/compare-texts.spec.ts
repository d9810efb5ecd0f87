import { jest } from '@jest/globals';
import fc from 'fast-check';
import { processorTime } from '../../../../platform/kernel/src/testing/processor-time.ts';
import { type Comparison, compareTexts } from './compare-texts.ts';

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

describe('row 4: a text that begins with the stored one', () => {
  test.each([
    ['with white space', 'a\nb', '\nc'],
    ['behind white space', 'a\n', 'b'],
    ['after the end of a sentence', 'It rains.', 'It snows.'],
    ['after the end of a quoted one', 'She said "It rains."', 'It snows.'],
    ['after the end of a sentence without spaces', '下雨了。', '下雪了。'],
  ])('and goes on %s appends its rest, unchanged', async (_, stored, rest) => {
    expect(await compareTexts(stored, stored + rest, PLAIN)).toEqual({ kind: 'append', text: rest, border: null });
  });

  test.each([
    ['number', 'Budget is 5', 'Budget is 50'],
    ['number with a point', 'Budget is 5.', 'Budget is 5.50'],
    ['word', 'Dana likes straw', 'Dana likes strawberries'],
  ])('and ends in another %s is a delta', async (_, stored, sent) => {
    expect(await compareTexts(stored, sent, PLAIN)).toEqual({ kind: 'append', text: `\n${sent}`, border: 1 });
  });
});

const turns = (...said: readonly string[]) => said.map((words, i) => `${i % 2 ? 'assistant' : 'user'}: ${words}`);
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `${i + 1}. [${(from + i) % 2 ? 'user' : 'assistant'}] M${from + i}`);

describe('what is added stays, unless the new text plainly is the whole again', () => {
  const appended = (stored: string, sent: string) => ({ kind: 'append', text: `\n${sent}`, border: 1, stored });
  const meeting = (day: string, hour: string) =>
    `Weekly meeting of the harbour council\nDay: ${day}\nHour: ${hour}\nPlace: the old customs house`;
  const form = (date: string, result: string) =>
    `Blood test of Dana Moss\nWard: 12 B, second floor\nDate: ${date}\nResult: ${result}\nSigned: Dr Kim`;
  const standUp = (bob: string) =>
    `Ann: docs are done.\nBob: ${bob}\nCem: on leave.\nDee: tests are green.\nEve: nothing new.`;
  const talk = turns('Hi', 'Hello', 'Where is the key?', 'On the hook.', 'Thanks, and the map?', 'In the drawer.');
  const note = [
    ...['Boats of the harbour', 'Ottoline is a ketch.', 'Mara sails her on Sundays.', 'She was built in Bergen.'],
    ...['The mast is made of spruce.', 'Her sails are red.', 'The berth is at the north pier.', 'Repairs cost little.'],
  ];

  test.each<[string, string, string]>([
    ['two meetings that differ in day and hour', meeting('Monday', '10:00'), meeting('Tuesday', '3 pm')],
    ['two meetings in one line', 'Meeting. On Monday at 10. In the hall.', 'Meeting. On Friday at 9. In the hall.'],
    ['two stand-ups', 'Ann: docs are done.\nBob: on leave.', 'Ann: docs are done.\nBob: tests are green.'],
    ['a form with another date and result', form('2026-11-20', 'negative'), form('2026-11-27', 'positive')],
    [
      'another numbered command',
      '1. [user] run the unit tests and report every failure',
      '1. [user] run the lint tests and report every failure',
    ],
    [
      'the same long command twice, with two answers',
      `1. [user] ${'run all tests and report. '.repeat(20)}\n2. [assistant] 3 failed.`,
      `1. [user] ${'run all tests and report. '.repeat(20)}\n2. [assistant] All passed.`,
    ],
    ['a stand-up of five turns, one differs', standUp('reviews are open.'), standUp('reviews are closed.')],
    ['a short text that is similar', 'user: I like figs.', 'user: I like tea!'],
    [
      'a text of two lines, one differs',
      'Dana lives in Bergen, by the sea.\nShe rows.',
      'Dana lives in Bergen, by the sea.\nShe swims.',
    ],
    ['a text with another first line', note.join('\n'), ['Ships', ...note.slice(1)].join('\n')],
    ['its lines in another order', note.join('\n'), [note[0], ...note.slice(1).reverse()].join('\n')],
    ['a text instead of a transcript', talk.join('\n'), note.join('\n')],
    ['a transcript instead of a text', note.join('\n'), talk.join('\n')],
  ])('%s: both', async (_, stored, sent) => {
    expect({ ...(await compareTexts(stored, sent, PLAIN)), stored }).toEqual(appended(stored, sent));
  });

  test.each<[string, string, string]>([
    [
      'a conversation of six turns, the last answer generated again',
      talk.join('\n'),
      [...talk.slice(0, 5), 'assistant: It is on the shelf.'].join('\n'),
    ],
    [
      'a transcript with other numbers, times and headers',
      `[Session ID] 1\n${numbered(1, 6).join('\n')}`,
      `[Session ID] 2\n${numbered(1, 7)
        .map((line) => line.replace(/^\d/, '9'))
        .join('\n')}`,
    ],
    [
      'a note of eight lines, the fourth rewritten',
      note.join('\n'),
      note.with(3, 'A yard in Oslo made her.').join('\n'),
    ],
    ['a note with a line more in its midst', note.join('\n'), note.toSpliced(3, 0, 'A new line.').join('\n')],
    ['a note without one of its lines', note.join('\n'), note.toSpliced(5, 1).join('\n')],
    ['a text of one line, a sentence rewritten', note.join(' '), note.with(3, 'A yard in Oslo made her.').join(' ')],
    [
      'long lines',
      lines(9, (i) => `${i} ${'x'.repeat(999)}`).join('\n'),
      lines(8, (i) => `${i} ${'x'.repeat(999)}`).join('\n'),
    ],
  ])('%s: replaced', async (_, stored, sent) => {
    expect(await compareTexts(stored, sent, PLAIN)).toEqual({ kind: 'replace', text: sent });
  });

  test('two thirds of the stored pieces by length are enough, and less is not', async () => {
    const stored = ['first', 'aaaaa', 'bbbbb'].join('\n');
    expect(await kindOf(stored, 'first\naaaaa\nX')).toBe('replace');
    expect(await kindOf(`${stored}b`, 'first\naaaaa\nX')).toBe('append');
    expect(await kindOf(stored, 'first\nbbbbb\naaaaa')).toBe('append');
  });

  test('more than two thirds of the stored turns are enough, and two thirds are not', async () => {
    const stored = turns('one', 'two', 'three');
    expect(await kindOf(stored.join('\n'), [...stored.slice(0, 2), 'user: four'].join('\n'))).toBe('append');
    const more = turns('one', 'two', 'three', 'four');
    expect(await kindOf(more.join('\n'), [...more.slice(0, 3), 'assistant: five'].join('\n'))).toBe('replace');
  });

  test('a text behind the turns of a transcript counts as a turn that is gone', async () => {
    const stored = `${OPEN_CLAW}\nDana is allergic to walnuts.`;
    expect(await kindOf(stored, `${OPEN_CLAW} \n${OPEN_CLAW}`)).toBe('append');
  });
});

const OPEN_CLAW = '[role: user]\nI moved to Bergen.\n[user:end]\n[role: assistant]\nNoted.\n[assistant:end]';

describe('row 5a: a sliding window', () => {
  test.each([
    ['of the last turns and two more', numbered(1, 20), numbered(3, 22), numbered(3, 22).slice(18)],
    ['of the last two turns and one more', numbered(1, 20), numbered(19, 21), numbered(19, 21).slice(2)],
  ])('%s appends what follows', async (_, stored, sent, rest) => {
    expect(await compareTexts(stored.join('\n'), sent.join('\n'), PLAIN)).toEqual({
      ...{ kind: 'append', border: 1 },
      text: `\n${rest.join('\n')}`,
    });
  });

  test('with nothing that follows changes nothing', async () => {
    expect(await kindOf(numbered(1, 20).join('\n'), numbered(15, 20).join('\n'))).toBe('none');
  });

  test('of one turn is a delta', async () => {
    expect(await compareTexts(numbered(1, 20).join('\n'), numbered(20, 21).join('\n'), PLAIN)).toEqual({
      ...{ kind: 'append', border: 1 },
      text: `\n${numbered(20, 21).join('\n')}`,
    });
  });

  test('takes the longest end of the stored turns', async () => {
    const stored = ['a', 'b', 'a', 'b'].map((words) => `[user] ${words}`).join('\n');
    expect(await compareTexts(stored, `${stored.replace('a', 'b')}\n[user] c`, PLAIN)).toMatchObject({ border: 1 });
    expect(await compareTexts(`[user] x\n${stored}`, `${stored}\n[user] c`, PLAIN)).toEqual({
      ...{ kind: 'append', border: 1 },
      text: '\n[user] c',
    });
  });

  test('begins behind the mark that ends the last known turn', async () => {
    const frame = (time: string, words: string) =>
      `<|turn_start|>${time}\n<|start|>user<|message|>${words}<|end|>\n<|turn_end|>`;
    const [one, two, three] = [frame('2026-11-25', 'One'), frame('2026-11-26', 'Two'), frame('2026-11-27', 'Three')];
    const zero = frame('2026-11-24', 'Zero');
    expect(await compareTexts([zero, one, two].join('\n\n'), [one, two, three].join('\n\n'), PLAIN)).toMatchObject({
      text: `\n${three}`,
    });
  });
});

describe('row 6: any other text is a delta', () => {
  test.each([
    ['on a new line', 'a', { kind: 'append', text: '\nb', border: 1 }],
    ['without another line end if there is one', 'a\n', { kind: 'append', text: 'b', border: 0 }],
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
      else if (change.kind === 'replace' || change.border === null) {
        expect(change.kind === 'replace' ? change.text : stored + change.text).toBe(sent);
      } else {
        expect(`${stored}${change.text}`.endsWith(stored.endsWith('\n') ? sent : `\n${sent}`)).toBe(true);
      }
    }),
  );
});

test.each<[string, (count: number) => string, (count: number) => string]>([
  ['short lines', (n) => lines(n, (i) => `${i % 7}${i}`).join('\n'), (n) => lines(n, (i) => `x${i}`).join('\n')],
  ['equal lines', (n) => lines(n, () => 'a').join('\n'), (n) => `a\n${lines(n, () => 'b').join('\n')}`],
  ['equal turns', (n) => lines(n, () => '[user] a').join('\n'), (n) => `${lines(n, () => '[user] a').join('\n')}b`],
  ['turns', (n) => lines(n, () => 'user: ab').join('\n'), (n) => `${lines(n, (i) => `user: a${i}`).join('\n')}`],
])('texts of %s are compared in linear time', async (_, storedOf, sentOf) => {
  const timeOf = async (count: number) => {
    const [stored, sent] = [storedOf(count), sentOf(count)];
    return processorTime(() => compareTexts(stored, sent, PLAIN));
  };
  await timeOf(2_000);
  // Sixteen times as long; in quadratic time it would be 256 times.
  expect((await timeOf(80_000)) / Math.max(await timeOf(5_000), 1)).toBeLessThan(100);
});

test.each([
  ['equal', (text: string) => text],
  ['different in every line', (text: string) => text.replaceAll('Line', 'Row').replaceAll('report', 'list')],
  ['longer at the beginning', (text: string) => `First.\n${text}`],
  ['transcripts', (text: string) => `[user] Hi.\n${text.replaceAll('Line', '[user] Line')}`],
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
