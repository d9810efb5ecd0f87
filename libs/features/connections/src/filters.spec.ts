import { isTaken, NO_FILTERS } from './filters.ts';

const item = (path: string, contentType: string | null = null, size: number | null = 1) => ({
  path,
  contentType,
  size,
});
const including = (...include: readonly string[]) => ({ ...NO_FILTERS, include });

test.each([
  ['*.md', '/a/b.md', true],
  ['*.md', '/a/b.mdx', false],
  ['/*.md', '/a/b.md', false],
  ['a/*.md', '/a/b.md', true],
  ['a/*.md', '/a/c/b.md', false],
  ['a/**/*.md', '/a/c/d/b.md', true],
  ['drafts/', '/a/drafts/b.md', true],
  ['drafts/', '/a/drafts', false],
  ['/drafts/', '/a/drafts/b.md', false],
  ['a/drafts/', '/a/drafts/c/b.md', true],
])('%s and %s: %s', (pattern, path, matches) => {
  expect(isTaken(including(pattern), item(path))).toBe(matches);
  expect(isTaken({ ...NO_FILTERS, exclude: [pattern] }, item(path))).toBe(!matches);
});

test('kinds and sizes are taken where they are known and wanted', () => {
  const filters = { ...NO_FILTERS, contentTypes: ['text/*', 'Application/pdf'], maxBytes: 10 };
  expect(isTaken(filters, item('/a', 'text/plain; charset=utf-8'))).toBe(true);
  expect(isTaken(filters, item('/a', 'application/pdf'))).toBe(true);
  expect(isTaken(filters, item('/a', 'image/png'))).toBe(false);
  expect(isTaken(filters, item('/a', null, null))).toBe(true);
  expect(isTaken(filters, item('/a', 'text/plain', 11))).toBe(false);
});
