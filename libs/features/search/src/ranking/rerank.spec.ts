import fc from 'fast-check';
import { type RerankedUnit, reranked } from './rerank.ts';

interface Place extends RerankedUnit {
  readonly id: number;
}

const unit: fc.Arbitrary<Omit<Place, 'id'>> = fc.record({
  orderedBy: fc.constantFrom('features', 'score', 'forms'),
  order: fc.double({ min: -1, max: 12, noNaN: true }),
  rerank: fc.option(fc.double({ min: -1, max: 1, noNaN: true })),
});
const list = fc
  .array(unit, { maxLength: 40 })
  .map((units) => units.toSorted((a, b) => b.order - a.order).map((one, id) => ({ ...one, id })));
const method = fc.constantFrom('maxsim' as const, 'cross-encoder' as const);

test('units without a score keep their place, and nothing is lost', () => {
  fc.assert(
    fc.property(list, method, (units, by) => {
      const result = reranked(units, by);
      expect(result.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(units.map(({ id }) => id));
      for (const [place, { id, rerank }] of result.entries()) if (rerank === null) expect(id).toBe(place);
    }),
  );
});

test('units that were ordered by different values exchange no places, but by a cross-encoder', () => {
  fc.assert(
    fc.property(list, (units) => {
      reranked(units, 'maxsim').forEach(({ orderedBy }, place) => {
        expect(orderedBy).toBe(units[place]?.orderedBy);
      });
    }),
  );
});

test('a cross-encoder orders by its logit alone', () => {
  fc.assert(
    fc.property(list, (units) => {
      const logits = reranked(units, 'cross-encoder').flatMap(({ rerank }) => rerank ?? []);
      expect(logits).toEqual(logits.toSorted((a, b) => b - a));
    }),
  );
});

const of = (...units: readonly (readonly [order: number, rerank: number | null])[]): Place[] =>
  units.map(([order, rerank], id) => ({ id, orderedBy: 'score', order, rerank }));
const idsOf = (units: readonly Place[]) => units.map(({ id }) => id);

test('a much better MaxSim outweighs a little lower order, and the other way round', () => {
  expect(idsOf(reranked(of([0.7, 0.1], [0.65, 0.5], [0.2, 0.1]), 'maxsim'))).toEqual([1, 0, 2]);
  expect(idsOf(reranked(of([1.2, 0.4], [0.5, 0.5], [0.2, 0.1]), 'maxsim'))).toEqual([0, 1, 2]);
});

test('units with equal scores stay in their order', () => {
  expect(idsOf(reranked(of([0.5, 0.3], [0.5, 0.3], [0.5, null], [0.5, 0.3]), 'maxsim'))).toEqual([0, 1, 2, 3]);
});
