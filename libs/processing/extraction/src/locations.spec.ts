import type { Section } from '#platform/kernel';
import { chunk, formMemories, splitText } from './index.ts';

const sentence = 'The heron waits at the edge of the water for an hour. ';

/** Each passage with its location. */
function located(text: string, sections: readonly Section[] = []) {
  const { chunks, memories } = splitText(text, undefined, sections);
  const of = (passages: typeof chunks) =>
    passages.map(({ start, end, location }) => [text.slice(start, end), location] as const);
  return { chunks: of(chunks), memories: of(memories) };
}

test('passages below a heading name it, also far below', () => {
  const text = `Before.\n\n# Birds #\n\n${sentence.repeat(60)}\n\nFish\n----\n\nThe pike waits.`;
  const { chunks, memories } = located(text);
  expect(chunks[0]).toEqual(['Before.', undefined]);
  expect(chunks.slice(1, -1).map(([, location]) => location)).toEqual(
    Array(chunks.length - 2).fill({ heading: 'Birds' }),
  );
  expect(chunks.length).toBeGreaterThan(4);
  expect(chunks.at(-1)?.[1]).toEqual({ heading: 'Fish' });
  expect(memories.at(-1)).toEqual(['Fish\n----\n\nThe pike waits.', { heading: 'Fish' }]);
});

test('a passage that begins with several headings is below the last of them', () => {
  const { chunks } = located('# Birds\n\n## Herons\n\nThey wait.\n\n## Terns\n\nThey dive.');
  expect(chunks.map(([, location]) => location)).toEqual([{ heading: 'Herons' }, { heading: 'Terns' }]);
});

test('a chunk ends where a page ends, and names its page', () => {
  const pages = ['The first page.', 'The second page.', 'The third page.'];
  const text = pages.join('\n\n');
  const sections = pages.map((page, i): Section => [text.indexOf(page), { page: i + 1 }]);
  expect(located(text, sections).chunks).toEqual(pages.map((page, i) => [page, { page: i + 1 }]));
  expect(located(text, sections).memories).toEqual(pages.map((page, i) => [page, { page: i + 1 }]));
});

test('a heading that is alone on its page is not joined to the next page', () => {
  const text = '# The weir\n\n# The ferry\n\nThe goats ate the rope.';
  const second = text.indexOf('# The ferry');
  const sections: Section[] = [
    [0, { page: 1 }],
    [second, { page: 2 }],
  ];
  expect(located(text, sections).memories).toEqual([
    ['# The weir', { page: 1, heading: 'The weir' }],
    [text.slice(second), { page: 2, heading: 'The ferry' }],
  ]);
});

test('each record has its row; the rows of a sheet are counted from its first one', () => {
  const records = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, i) => `- name: person ${from + i}; city: Oslo`).join('\n\n');
  const text = `${records(2, 40)}\n\n${records(100, 110)}\n\nThe end.`;
  const second = text.indexOf('- name: person 100');
  const end = text.indexOf('The end.');
  const sections: Section[] = [
    [0, { sheet: 'People', row: 2 }],
    [second, { sheet: 'More', row: 100 }],
    [end, {}],
  ];
  const { chunks, memories } = located(text, sections);
  for (const [words, location] of memories.slice(0, -1)) expect(words).toContain(`person ${location?.row};`);
  expect(memories).toHaveLength(39 + 11 + 1);
  expect(memories.at(-2)?.[1]).toEqual({ sheet: 'More', row: 110 });
  expect(memories.at(-1)).toEqual(['The end.', undefined]);
  for (const [words, location] of chunks.slice(0, -1)) {
    expect(words.startsWith(`- name: person ${location?.row};`)).toBe(true);
  }
});

test('places change no boundary of a text without pages', () => {
  const text = `# Birds\n\n${sentence.repeat(40)}\n\n## Herons\n\n${sentence.repeat(30)}`;
  const plain = <T extends object>(passages: readonly T[]) =>
    passages.map((passage) => Object.fromEntries(Object.entries(passage).filter(([name]) => name !== 'location')));
  const { chunks, memories } = splitText(text);
  expect(plain(chunks)).toEqual(chunk(text));
  expect(plain(memories)).toEqual(formMemories(text));
});
