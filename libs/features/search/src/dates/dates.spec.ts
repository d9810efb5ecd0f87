import fc from 'fast-check';
import { dayNumber, dayOfIso, matchesDay, partsOf, shareWithin, weekdayOf } from './calendar.ts';
import { namedDates } from './named-dates.ts';
import { spansIn } from './spans.ts';

const day = (iso: string): number => dayOfIso(iso) as number;
const iso = (number: number): string => new Date(number * 86_400_000).toISOString().slice(0, 10);
/** A Wednesday. */
const TODAY = day('2023-05-10T13:56:00Z');

describe('the calendar', () => {
  test('reads the day of an ISO date from its digits', () => {
    expect(iso(day('2023-05-08T23:30:00-08:00'))).toBe('2023-05-08');
    expect(iso(day('0050-01-01'))).toBe('0050-01-01');
    expect(dayOfIso('yesterday')).toBeNull();
    expect(weekdayOf(TODAY)).toBe(3);
  });

  test('parts of a day give the day again', () => {
    fc.assert(
      fc.property(fc.integer({ min: -719_000, max: 60_000 }), (number) => {
        const { year, month, day: dayOfMonth } = partsOf(number);
        expect(dayNumber(year, month, dayOfMonth)).toBe(number);
        expect(matchesDay({ year, month, day: dayOfMonth }, number)).toBe(true);
        expect(matchesDay({ year: null, month, day: null }, number)).toBe(true);
        expect(matchesDay({ year: year + 1, month: null, day: null }, number)).toBe(false);
        const share = shareWithin({ from: number - 3, to: number + 3 }, { year, month, day: dayOfMonth });
        expect(share).toBeCloseTo(1 / 7);
      }),
    );
  });
});

test.each<[string, [number | null, number | null, number | null][]]>([
  ['What happened on 8 May 2023?', [[2023, 5, 8]]],
  ['What happened on May 8th, 2023?', [[2023, 5, 8]]],
  ['Who called on the 3rd of June?', [[null, 6, 3]]],
  ['Where was she in July?', [[null, 7, null]]],
  ['What did he buy in Aug. 2022?', [[2022, 8, null]]],
  ['2022-07-01', [[2022, 7, 1]]],
  [
    'between 2021 and 2022',
    [
      [2021, null, null],
      [2022, null, null],
    ],
  ],
  ['May I march with her?', []],
  ['She may come. June is a friend.', []],
  ['Room 2500, 12345, 45 May 2020', [[2020, 5, null]]],
])('namedDates(%j)', (text, expected) => {
  expect(namedDates(text).map(({ year, month, day: of }) => [year, month, of])).toEqual(expected);
});

test.each<[string, [string, string][]]>([
  ['I met her yesterday.', [['2023-05-09', '2023-05-09']]],
  ['Last week I ran a race', [['2023-05-01', '2023-05-07']]],
  ['last weekend', [['2023-05-06', '2023-05-07']]],
  ['We go next month', [['2023-06-01', '2023-06-30']]],
  ['last Friday', [['2023-05-05', '2023-05-05']]],
  ['on Wednesday', [['2023-05-03', '2023-05-03']]],
  ['two weeks ago', [['2023-04-23', '2023-04-29']]],
  ['A couple of months ago', [['2023-03-01', '2023-03-31']]],
  ['3 years ago', [['2020-01-01', '2020-12-31']]],
  ['last summer', [['2022-06-01', '2022-08-31']]],
  ['in December', [['2022-12-01', '2022-12-31']]],
  ['in June', [['2023-06-01', '2023-06-30']]],
  ['the day after tomorrow', [['2023-05-12', '2023-05-12']]],
  ['a few months earlier', [['2023-02-01', '2023-02-28']]],
  ['in the last 3 weeks', []],
  ['nothing at all', []],
])('spansIn(%j) of a text of 10 May 2023', (text, expected) => {
  expect(spansIn(text, TODAY).map(({ from, to }) => [iso(from), iso(to)])).toEqual(expected);
});

test('any text gives only whole spans, and few', () => {
  const words = fc.constantFrom(
    'last',
    'May',
    '31',
    'ago',
    'two',
    'weeks',
    '2023',
    '2023-13-45',
    'week',
    'on',
    'Friday',
    '0',
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 60 }), fc.integer({ min: -20_000, max: 60_000 }), (list, today) => {
      const spans = spansIn(list.join(' '), today);
      expect(spans.length).toBeLessThanOrEqual(16);
      for (const { from, to } of spans) expect(to).toBeGreaterThanOrEqual(from);
    }),
  );
});
