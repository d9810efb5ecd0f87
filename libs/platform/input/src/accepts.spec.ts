import fc from 'fast-check';
import { AddDocumentInput, ListDocumentsInput, UploadInput } from '#features/documents/use-cases';
import { SearchMemoriesInput } from '#features/search/use-cases';
import { accepts } from './accepts.ts';
import { validateSync } from './class-validator.ts';
import { fieldsOf } from './index.ts';

const value = fc.oneof(
  fc.constantFrom('memory', 'superrag', 'text', 'asc', 'createdAt', 'x', '', 'x'.repeat(300), '2026-01-02', '7'),
  fc.integer({ min: -2, max: 1200 }),
  fc.double(),
  fc.boolean(),
  fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 3 }),
  fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant([])), { maxKeys: 3 }),
);

test.each([AddDocumentInput, UploadInput, ListDocumentsInput, SearchMemoriesInput])(
  'accepts exactly what validateSync finds no error in: %p',
  (type) => {
    const names = fieldsOf(type).map(({ name }) => name);
    let accepted = 0;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 }), fc.boolean(), (input, isFilled) => {
        const required = isFilled ? { content: 'x', q: 'x' } : {};
        const known = Object.fromEntries(
          Object.entries({ ...required, ...input }).filter(([name]) => names.includes(name)),
        );
        const { include, ...fields } = known;
        const instance = Object.assign(new type(), fields);
        const isValid = validateSync(instance).length === 0;
        expect(accepts(instance)).toBe(isValid);
        if (isValid) accepted += 1;
      }),
      { numRuns: 2_000 },
    );
    expect(accepted).toBeGreaterThan(20);
  },
);
