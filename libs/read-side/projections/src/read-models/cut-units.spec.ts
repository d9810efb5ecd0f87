import { type Memory, memoryOfPassage, sentenceHashes } from '#features/memories';
import type { Unit } from '#read-side/views';
import { cutUnits, readUnits } from './cut-units.ts';

/** What of a document's units is left out because of what callers did with its memories. */

const unit = (kind: Unit['kind'], ordinal: number, text: string): Unit => ({
  ...{ id: `${kind}-${ordinal}`, kind, ordinal, text, speaker: null },
});
/** @param from when it is inactive; null: never */
function memory(id: string, text: string, from: number | null): Memory {
  const sentences = sentenceHashes(text);
  const passage = { organization: 'o', documentId: 'd', id, text, sentences, tags: ['t'], createdAt: 1 };
  const active = memoryOfPassage(passage);
  const forgetAfter = from === null || from === 0 ? null : new Date(from).toISOString();
  const versions = active.versions.map((version) => ({ ...version, forgetAfter }));
  const forgotten = from === 0 ? { reason: null, at: 1 } : null;
  return { ...active, versions, forgotten };
}
const cut = (units: readonly Unit[], ...memories: readonly Memory[]) => {
  const { leftOut, remains } = cutUnits(readUnits(units), memories, new Set());
  return { leftOut, remains: remains.map(({ unit: { id }, text, from, until }) => [id, text, from, until]) };
};

const [A, B, C] = ['Ann sails the boat.', 'Ben mends the nets.', 'Cy sells the fish.'] as const;
const CHUNK = unit('chunk', 0, `${A} ${B} ${C}`);

test('a touched memory is left out of its document, and of nothing else', () => {
  const units = [CHUNK, unit('memory', 0, A), unit('memory', 1, B)];
  expect(cut(units, memory('memory-1', B, null))).toEqual({ leftOut: [['memory', 1, 0]], remains: [] });
});

test('the sentences of a forgotten memory are cut from chunks and from other memories, wherever they stand', () => {
  const units = [CHUNK, unit('chunk', 1, B.toUpperCase()), unit('memory', 0, `${A} ${B}`), unit('memory', 1, C)];
  expect(cut(units, memory('gone', B, 0))).toEqual({
    leftOut: [
      ['chunk', 0, 0],
      ['chunk', 1, 0],
      ['memory', 0, 0],
    ],
    remains: [
      ['chunk-0', `${A}\n${C}`, 0, null],
      ['memory-0', A, 0, null],
    ],
  });
});

test('a sentence of a forgotten memory that was said again is cut nowhere', () => {
  const gone = memory('gone', `${A} ${B}`, 0);
  const passage = {
    ...(gone.passage as NonNullable<Memory['passage']>),
    restored: readUnits([unit('memory', 0, B)]).flatMap(({ sentences }) => sentences.map(({ hash }) => hash)),
  };
  expect(cut([CHUNK], { ...gone, passage })).toEqual({
    leftOut: [['chunk', 0, 0]],
    remains: [['chunk-0', `${B} ${C}`, 0, null]],
  });
});

test('what expires is cut from its moment on', () => {
  const units = [CHUNK, unit('memory', 0, A), unit('memory', 1, B)];
  expect(cut(units, memory('memory-0', A, 500), memory('memory-1', B, 0))).toEqual({
    leftOut: [
      ['chunk', 0, 0],
      ['memory', 0, 0],
      ['memory', 1, 0],
    ],
    remains: [
      ['chunk-0', `${A}\n${C}`, 0, 500],
      ['chunk-0', C, 500, null],
    ],
  });
});

test('a memory whose stream is erased counts as forgotten', () => {
  const units = [CHUNK, unit('memory', 0, A)];
  const { leftOut } = cutUnits(readUnits(units), [], new Set(['memory-0']));
  expect(leftOut).toEqual([
    ['chunk', 0, 0],
    ['memory', 0, 0],
  ]);
});

test('the text of a touched memory has nothing of what is forgotten of others', () => {
  const both = unit('memory', 0, `${A} ${B}`);
  const own = memory('memory-0', both.text, null);
  const [read] = readUnits([both]);
  if (read === undefined) throw new Error('no unit');
  const textBeside = (...others: readonly Memory[]) =>
    cutUnits([read], [own, ...others], new Set()).withoutOthers(own, read);
  expect(textBeside(memory('b', B, 0))).toBe(A);
  expect(textBeside(memory('a', A, 0), memory('b', B, 0))).toBe('');
  expect(textBeside(memory('b', B, 500), memory('c', C, 0))).toBe(both.text);
});
