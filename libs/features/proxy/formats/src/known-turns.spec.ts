import fc from 'fast-check';
import { hashOfTurn, type NewTurns, newTurns, type Turn, type TurnHash } from './index.ts';

/** `a b c`: the user says a, the assistant b, the user c. */
const turns = (words: string): Turn[] =>
  words
    .split(' ')
    .filter((word) => word !== '')
    .map((text, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', text }));
const hashes = (words: string): TurnHash[] => turns(words).map(hashOfTurn);

test.each([
  ['nothing is stored', '', 'a', { history: 0, kept: 0, fresh: 'a' }],
  ['the whole history is sent', 'a b', 'a b c', { history: 0, kept: 2, fresh: 'c' }],
  ['the whole history is sent again', 'a b c', 'a b c', { history: 0, kept: 3, fresh: '' }],
  ['new turns only', 'a b', 'c', { history: 2, kept: 2, fresh: 'c' }],
  ['a tail and a new turn', 'a b c d', 'c d e', { history: 2, kept: 4, fresh: 'e' }],
  ['a summary, a tail and a new turn', 'a b c d', 'S T c d e', { history: 0, kept: 4, fresh: 'e' }],
  ['another answer is wanted', 'a b c d', 'a b c', { history: 0, kept: 3, fresh: '' }],
  ['another first answer is wanted', 'a b', 'a', { history: 0, kept: 1, fresh: '' }],
  ['an earlier turn was edited', 'a b c d e f', 'a b C', { history: 0, kept: 2, fresh: 'C' }],
  ['an earlier turn of a tail was edited', 'a b c d e f', 'c d E', { history: 2, kept: 4, fresh: 'E' }],
  ['a first turn is said again, later', 'a b c d', 'a', { history: 4, kept: 4, fresh: 'a' }],
  ['nothing in common', 'a b', 'x y z', { history: 2, kept: 2, fresh: 'x y z' }],
  ['nothing is sent', 'a b', '', { history: 2, kept: 2, fresh: '' }],
])('%s', (_, stored, sent, { history, kept, fresh }) => {
  const found: NewTurns = newTurns(hashes(stored), turns(sent));
  expect({ ...found, fresh: found.fresh.map(({ text }) => text).join(' ') }).toEqual({ history, kept, fresh });
});

test('white space around a text does not matter, the role does', () => {
  const [stored] = hashes('a');
  expect(newTurns([stored as string], [{ role: 'user', text: ' a\n' }]).fresh).toEqual([]);
  expect(newTurns([stored as string], [{ role: 'assistant', text: 'a' }]).fresh).toHaveLength(1);
});

test('whatever a client has left out of a growing conversation, the conversation is whole', () => {
  const distinct = fc.uniqueArray(
    fc.string({ minLength: 1 }).filter((text) => text.trim() === text),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(distinct, fc.nat(), fc.nat(), (words, a, b) => {
      const all: Turn[] = words.map((text, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', text }));
      const known = a % all.length;
      const sent = all.slice(b % (known + 1));
      const { history, kept, fresh } = newTurns(all.slice(0, known).map(hashOfTurn), sent);
      expect([...all.slice(0, history), ...sent]).toEqual(all);
      expect([...all.slice(0, kept), ...fresh]).toEqual(all);
    }),
  );
});

test('equal turns take no longer than their number', () => {
  const same: Turn[] = Array.from({ length: 100_000 }, () => ({ role: 'user', text: 'again' }));
  expect(newTurns(same.map(hashOfTurn), same).fresh).toEqual([]);
});
