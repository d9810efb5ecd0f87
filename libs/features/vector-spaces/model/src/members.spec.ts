import { chunk, formMemories } from '#processing/extraction';
import { membersOf } from './members.ts';

it('finds the memories in each chunk, whatever white space is between them', () => {
  expect(membersOf(['One two.\n\nThree.', 'Four.'], ['One two.', 'Three.', 'Four.'])).toEqual([[0, 1], [2]]);
});

it('counts a memory for every chunk that it reaches into', () => {
  expect(membersOf(['One two', 'three.', 'Four.'], ['One', 'two three.', 'Four.'])).toEqual([[0, 1], [1], [2]]);
});

it('finds none where there are no memories', () => {
  expect(membersOf(['One.', 'Two.'], [])).toEqual([[], []]);
  expect(membersOf([], ['One.'])).toEqual([]);
});

it('finds the memories of the passages of a text', () => {
  const paragraph = (i: number) => `# Part ${i}\n\nThe heron ${i} waits at the weir. It has waited for ${i} days.`;
  const text = Array.from({ length: 80 }, (_, i) => paragraph(i)).join('\n\n');
  const textsOf = (passages: readonly { readonly start: number; readonly end: number }[]) =>
    passages.map(({ start, end }) => text.slice(start, end));
  const [chunks, memories] = [textsOf(chunk(text)), textsOf(formMemories(text))];
  const members = membersOf(chunks, memories);
  for (const [place, own] of members.entries()) {
    expect(own.length).toBeGreaterThan(0);
    for (const member of own) {
      const [whole, part] = [chunks[place] as string, memories[member] as string];
      expect(whole.includes(part) || part.includes(whole) || part.includes(whole.slice(-20))).toBe(true);
    }
  }
  expect(new Set(members.flat()).size).toBe(memories.length);
});
