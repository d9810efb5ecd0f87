import fc from 'fast-check';
import { answerTypeOf, holdsAnswer } from './answer-type.ts';
import { coreOf } from './core.ts';
import { FEATURES, featuresOf } from './features.ts';
import type { RankerInputs } from './inputs.ts';
import { type BaseRanked, RANKED, reorder, sharesOf } from './ranker.ts';

const INPUTS: RankerInputs = {
  ...{ words: 0, documentWords: 0, meaning: 0.8, wide: 0.8, core: 0.8, near: 0.8, speaker: 0, flags: 0, previous: 0 },
};

interface Place extends BaseRanked {
  readonly id: number;
}

const score = fc.double({ min: -0.1, max: 1.4, noNaN: true });
const inputs: fc.Arbitrary<RankerInputs> = fc.record({
  ...{ words: score, documentWords: score, meaning: score, wide: score, core: score, near: score, previous: score },
  ...{ speaker: fc.constantFrom(-1 as const, 0 as const, 1 as const), flags: fc.integer({ min: 0, max: 3 }) },
});
const unit: fc.Arbitrary<Omit<Place, 'id'>> = fc.record({
  ...{ score, inputs: fc.option(inputs), document: fc.integer({ min: 0, max: 4 }) },
  text: fc.constantFrom('Ann: in May', 'Bob: because of two dogs', 'Ann: yesterday in Paris', 'x'),
  speaker: fc.option(fc.constantFrom('Ann', 'Bob')),
  documentDate: fc.option(fc.constantFrom('2023-05-10', 'soon')),
});
const list = fc
  .array(unit, { maxLength: RANKED + 20 })
  .map((units) => units.toSorted((a, b) => b.score - a.score).map((one, id) => ({ ...one, id })));
const space = fc.constantFrom('test.1.64', 'test.2.64');
const question = fc.constantFrom('When did Ann see it?', 'Why in May 2023?', 'How many dogs?', '');

const isRankable = ({ inputs: own, speaker, documentDate, id }: Place) =>
  id < RANKED && own !== null && speaker !== null && documentDate !== null;

describe('reorder()', () => {
  test('reorders the units with speaker, date and vectors among their places, and leaves all others', () => {
    fc.assert(
      fc.property(question, list, space, (asked, units, compared) => {
        const result = reorder(asked, units, compared);
        expect(result.map(({ unit: { id } }) => id).toSorted((a, b) => a - b)).toEqual(units.map(({ id }) => id));
        result.forEach(({ unit: own, features }, place) => {
          expect(isRankable(own)).toBe(isRankable(units[place] as Place));
          expect(features !== null).toBe(isRankable(own));
          if (features === null) expect(own.id).toBe(place);
        });
      }),
    );
  });

  test('orders by the sum of the shares, and keeps the order of equal ones', () => {
    fc.assert(
      fc.property(question, list, space, (asked, units, compared) => {
        const own = reorder(asked, units, compared).filter(({ features }) => features !== null);
        const totals = own.map(({ features }) => {
          const shares = sharesOf(features as never, compared);
          return FEATURES.reduce((sum, feature) => sum + shares[feature], 0);
        });
        totals.slice(1).forEach((total, i) => {
          expect(total).toBeLessThanOrEqual(totals[i] as number);
          if (total === totals[i]) expect(own[i + 1]?.unit.id).toBeGreaterThan(own[i]?.unit.id as number);
        });
      }),
    );
  });
});

describe('features', () => {
  test('are between 0 and 1', () => {
    fc.assert(
      fc.property(question, fc.array(fc.tuple(inputs, score, unit)), (asked, units) => {
        const features = featuresOf(
          asked,
          units.map(([own, one, { document, text }]) => ({
            ...{ inputs: { ...own, previous: Math.min(own.previous, one) }, score: one, document, text },
            speaker: 'Ann',
            documentDate: '2023-05-10',
          })),
        );
        for (const values of features) {
          for (const feature of FEATURES) {
            expect(values[feature]).toBeGreaterThanOrEqual(0);
            expect(values[feature]).toBeLessThanOrEqual(1);
          }
        }
      }),
    );
  });

  const dated = (text: string) =>
    featuresOf('What did she do on 9 May 2023?', [
      { score: 1, inputs: INPUTS, document: 1, text, speaker: 'Ann', documentDate: '2023-05-10T10:00:00Z' },
    ])[0];

  test('a date in the question is compared with the date of the document, and with those in the unit', () => {
    expect(dated('Ann: I painted yesterday')).toMatchObject({ date: 0, relativeDate: 1 });
    expect(dated('Ann: I painted this week')?.relativeDate).toBeCloseTo(1 / 7);
    expect(dated('Ann: I painted last year')).toMatchObject({ date: 0, relativeDate: 0 });
    expect(
      featuresOf('What happened in May?', [
        { score: 1, inputs: INPUTS, document: 1, text: 'Ann: hi', speaker: 'Ann', documentDate: '2021-05-02' },
      ])[0],
    ).toMatchObject({ date: 1, relativeDate: 0 });
  });

  test('an answer is searched in all words of a turn but the name of its speaker', () => {
    const answers = (text: string) =>
      featuresOf('Where does she live?', [
        { score: 1, inputs: INPUTS, document: 1, text, speaker: 'user', documentDate: '2021-05-02' },
      ])[0]?.answerType;
    expect(answers('user: in Bergen: a town')).toBe(1);
    expect(answers('I live in Bergen: a town')).toBe(1);
  });

  test('the best score of a document counts for all its units', () => {
    const unitOf = (document: number, own: number) => ({
      ...{ score: own, inputs: INPUTS, document, text: 'Ann: hi', speaker: 'Ann', documentDate: '2021-05-02' },
    });
    const features = featuresOf('hi', [unitOf(1, 0.9), unitOf(2, 0.5), unitOf(1, 0.1)]);
    expect(features.map(({ documentBest }) => documentBest)).toEqual([1, 0, 1]);
  });
});

test.each([
  ['When did Caroline go to the LGBTQ support group?', 'go to the LGBTQ support group'],
  ["What is Melanie's favourite book?", 'favourite book'],
  ['How long has Ann been married?', 'been married'],
  ['What happened in May?', 'happened in May'],
  ['Who?', 'Who?'],
  ['the blue kettle', 'the blue kettle'],
  ['', ''],
])('coreOf(%j)', (asked, expected) => {
  expect(coreOf(asked)).toBe(expected);
});

test.each([
  ['How many children does Ann have?', 'number', 'I have three kids', 'I like kids'],
  ['Where did she move from?', 'place', 'my home country, Sweden', 'I moved again'],
  ['Who taught her?', 'name', 'my friend showed me', 'I learned it'],
  ['Why did he stop?', 'reason', 'because it hurt', 'I stopped'],
] as const)('%j asks for a %s', (asked, type, with_, without) => {
  expect(answerTypeOf(asked)).toBe(type);
  expect(holdsAnswer(type, with_)).toBe(true);
  expect(holdsAnswer(type, without)).toBe(false);
});

test('a question may ask for something else', () => {
  expect(answerTypeOf('When did she leave?')).toBeNull();
  expect(answerTypeOf('')).toBeNull();
});

test('a long question is its own core', () => {
  const long = `When did ${'Ann see the walrus and '.repeat(50)}the seal?`;
  expect(coreOf(` ${long} `)).toBe(long);
});
