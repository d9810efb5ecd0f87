import { newOrganization, row, units } from '../../testing.ts';
import { unitSources } from './units.ts';

it('a document whose words and vectors are too large for one row together is rejected before anything of it is written', () => {
  const organization = newOrganization();
  const document = row(organization, { vectorSpaces: ['test/1/384'] });
  const vector = new Uint8Array(4 + 384).fill(1);
  const set = (others: number) => ({
    units: units('chunk', ['one long text']),
    header: '',
    vectors: [{ bare: vector, wide: null, others: Array.from({ length: others }, () => vector) }],
  });
  expect([...unitSources(document, set(1_000), 'chunk')]).toHaveLength(1);
  expect(() => unitSources(document, set(200_000), 'chunk').next()).toThrow(
    expect.objectContaining({
      code: 'rows_rejected',
      rows: [{ organization, id: document.id, reason: expect.stringContaining('100.0 MB at the most') }],
    }),
  );
});
