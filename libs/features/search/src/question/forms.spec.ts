import { formsOf, isRewritten, MOST_FORMS } from './forms.ts';
import { partsOf } from './parts.ts';
import { withoutQuestionWords } from './plain.ts';
import { resolveDates } from './resolve-dates.ts';

/** A Monday. */
const NOW = Date.UTC(2026, 10, 23, 15, 30);
const NO_SPELLINGS = new Map<string, string>();
const textsOf = (question: string, spellings: ReadonlyMap<string, string> = NO_SPELLINGS) =>
  formsOf(question, NOW, spellings).forms.map(({ text }) => text);

describe('question words and names', () => {
  test.each<[string, string | null]>([
    ['When did Caroline paint the old harbour?', 'paint the old harbour'],
    ["What is Melanie's favourite winter soup?", 'favourite winter soup'],
    ['which trains stop here in December and have beds', 'trains stop here in December and beds'],
    ['Where is Atlas?', null],
    ['old harbour painting', null],
    ['who', null],
  ])('of %j leave %j', (question, plain) => {
    expect(withoutQuestionWords(question)).toBe(plain);
  });
});

describe('parts', () => {
  test.each<[string, readonly string[]]>([
    ['Where does Ann live and what does she eat?', ['Where does Ann live', 'what does she eat']],
    ['Who likes cats or dogs?', ['Who likes cats', 'Who likes dogs']],
    ['Who sells black tea, and green coffee?', ['Who sells black tea', 'Who sells green coffee']],
    ['Who is Ann? Where does she live?', ['Who is Ann', 'Where does she live']],
    ['What is the distance between Bern and Basel?', []],
    ['tea and and', []],
    ['the sandy land', []],
    ['When did Ann and Tom meet?', []],
    ['Is it Ann? Or Tom?', ['Is it Ann', 'Or Tom']],
    ['', []],
  ])('of %j are %j', (question, parts) => {
    expect(partsOf(question, 3)).toEqual(parts);
  });
});

describe('relative dates on Monday, 23 November 2026', () => {
  test.each<[string, string, string, string]>([
    ['What happened yesterday?', 'What happened 22 November 2026?', '2026-11-22', '2026-11-22'],
    ['the day before yesterday', '21 November 2026', '2026-11-21', '2026-11-21'],
    ['notes of last Friday', 'notes of 20 November 2026', '2026-11-20', '2026-11-20'],
    ['last monday', '16 November 2026', '2026-11-16', '2026-11-16'],
    ['next Tuesday', '24 November 2026', '2026-11-24', '2026-11-24'],
    ['last week', '16, 17, 18, 19, 20, 21, 22 November 2026', '2026-11-16', '2026-11-22'],
    ['this weekend', '28, 29 November 2026', '2026-11-28', '2026-11-29'],
    ['last month', 'October 2026', '2026-10-01', '2026-10-31'],
    ['three months ago', 'August 2026', '2026-08-01', '2026-08-31'],
    ['a year ago', '2025', '2025-01-01', '2025-12-31'],
    ['two weeks ago', '9, 10, 11, 12, 13, 14, 15 November 2026', '2026-11-09', '2026-11-15'],
    ['in the last 3 days', 'in 20, 21, 22, 23 November 2026', '2026-11-20', '2026-11-23'],
    ['the past two months', 'September 2026, October 2026, November 2026', '2026-09-01', '2026-11-23'],
    ['the last 12 months', '2025, 2026', '2025-11-01', '2026-11-23'],
    ['the last three years', '2023, 2024, 2025, 2026', '2023-01-01', '2026-11-23'],
  ])('%j becomes %j', (question, text, from, to) => {
    const day = (date: string) => Date.parse(date);
    expect(resolveDates(question, NOW)).toEqual({ text, period: { from: day(from), to: day(to) } });
  });

  test.each([
    'the last time',
    'next to the door',
    '999 years of rain',
    'a week',
    'yesterdays',
    'a few years ago',
    'on Friday',
    '',
  ])('%j has none', (q) => {
    expect(resolveDates(q, NOW)).toBeNull();
  });

  test('300 years ago and the end of a year are dates too', () => {
    expect(resolveDates('300 years ago', NOW)?.text).toBe('1726');
    expect(resolveDates('the last 300 years', NOW)?.text).toMatch(/^2017, 2018, .*, 2026$/);
    expect(resolveDates('tomorrow', Date.UTC(2026, 11, 31, 23, 59))?.text).toBe('1 January 2027');
    expect(resolveDates('last month', Date.UTC(2027, 0, 31))?.text).toBe('December 2026');
  });
});

describe('forms', () => {
  test('are the question, with other spellings and dates, its parts, and without question words', () => {
    const spellings = new Map([['seperate', 'separate']]);
    const { forms, intent, period } = formsOf('When did Ann open a seperate account last month?', NOW, spellings);
    expect(forms).toMatchObject([
      { text: 'When did Ann open a seperate account last month?', kinds: ['asked'] },
      { text: 'When did Ann open a separate account October 2026?', kinds: ['spelling', 'dates'] },
      { text: 'open a separate account October 2026', kinds: ['spelling', 'dates', 'plain'] },
    ]);
    expect(intent).toBe('when');
    expect(period).toEqual({ from: Date.UTC(2026, 9, 1), to: Date.UTC(2026, 9, 31) });
  });

  test('are at most four, each another text', () => {
    const many = textsOf('Who likes cats or dogs or green tea or ships or old maps and what did Ann say yesterday?');
    expect(many).toHaveLength(MOST_FORMS);
    expect(new Set(many).size).toBe(MOST_FORMS);
    expect(textsOf('tea')).toEqual(['tea']);
  });

  test('of any text begin with the text itself', () => {
    const odd = ['and ', 'last ', 'a. ', 'Ann ', '? ', '\ud800', '東京', 'the day before ', '3 days ago '];
    for (const part of odd) {
      const text = part.repeat(600).slice(0, 600);
      expect(isRewritten(text)).toBe(true);
      expect(textsOf(text)[0]).toBe(text);
    }
    expect(isRewritten('a'.repeat(100_000))).toBe(false);
  });
});
