import type { Unit } from '#read-side/views';
import { embeddedTexts, embeddedTextsInTurns } from './embedded-texts.ts';

const DOCUMENT = { organization: 'org', unitsDate: '2026-05-08' };
const unit = (kind: Unit['kind'], ordinal: number, text: string): Unit => ({
  ...{ id: `${kind}-${ordinal}`, kind, ordinal, text, speaker: null },
});
const CHUNK = unit('chunk', 0, 'One. Two.');
const UNITS = [CHUNK, unit('memory', 0, 'One.'), unit('memory', 1, 'Two.')];

/** The texts of each unit, found by its keys. */
function textsOf(units: readonly Unit[], document = DOCUMENT) {
  const { passages, keys } = embeddedTexts('model.1.384', document, units);
  const textOf = (key: string | null) => {
    const passage = passages.get(key ?? '');
    return passage?.kind === 'text' ? passage.text : passage;
  };
  return keys.map(({ bare, wide }) => ({ bare: textOf(bare[0] ?? null), wide: textOf(wide) }));
}

it('embeds each unit alone, and with its neighbours of the same kind and the date', () => {
  expect(textsOf(UNITS)).toEqual([
    { bare: 'One. Two.', wide: '8 May 2026\nOne. Two.' },
    { bare: 'One.', wide: '8 May 2026\nOne.\nTwo.' },
    { bare: 'Two.', wide: '8 May 2026\nOne.\nTwo.' },
  ]);
});

it('embeds equal texts once', () => {
  const alone = { organization: 'org', unitsDate: null };
  const { passages, keys } = embeddedTexts('model.1.384', alone, [unit('chunk', 0, 'One.'), unit('memory', 0, 'One.')]);
  expect([...passages.values()]).toEqual([{ kind: 'text', text: 'One.' }]);
  const [key] = passages.keys();
  expect(keys).toEqual([
    { bare: [key], wide: key, tokens: 0 },
    { bare: [key], wide: key, tokens: 0 },
  ]);
});

it('shares no key between spaces or organizations', () => {
  const keysIn = (space: string, organization: string) => [
    ...embeddedTexts(space, { ...DOCUMENT, organization }, UNITS).passages.keys(),
  ];
  const keys = [
    keysIn('a', 'org'),
    keysIn('b', 'org'),
    keysIn('a', 'other'),
    keysIn('a.2.8', 'org'),
    keysIn('b.2.8', 'org'),
  ].flat();
  expect(new Set(keys).size).toBe(keys.length);
});

it('names vectors as before, so that stored ones are found', () => {
  const { passages } = embeddedTexts('e5-small-v2-q.1.384', { organization: 'org', unitsDate: null }, [CHUNK]);
  expect([...passages.keys()]).toEqual(['19589fb8929454eddfc1323c5cfc3f98765b54d6250b059ac15c2d8c510821c9']);
});

it('embeds nothing of a document without units', () => {
  expect(embeddedTexts('space', DOCUMENT, [])).toEqual({ passages: new Map(), keys: [], members: new Map() });
});

it('lets other work run while it decides about many units', async () => {
  const units = Array.from({ length: 20_000 }, (_, i) => unit('memory', i, `Sentence ${i}.`));
  let ranMeanwhile = false;
  setImmediate(() => {
    ranMeanwhile = true;
  });
  const inTurns = await embeddedTextsInTurns('space', DOCUMENT, units);
  expect(ranMeanwhile).toBe(true);
  expect(inTurns).toEqual(embeddedTexts('space', DOCUMENT, units));
});

describe('in a space whose units share windows', () => {
  const SPACE = 'model.2.384';
  const memories = (...texts: readonly string[]) => texts.map((text, i) => unit('memory', i, text));
  const chunks = (...texts: readonly string[]) => texts.map((text, i) => unit('chunk', i, text));
  const embedded = (units: readonly Unit[]) => embeddedTexts(SPACE, DOCUMENT, units);
  const sentence = (i: number) => `The ${i}th sentence of a text about herons that wait at weirs, in all weathers.`;

  it('embeds memories together, and compares a chunk by the vectors of its memories', () => {
    const units = [...chunks('One. Two.', 'Three.'), ...memories('One.', 'Two.', 'Three.')];
    const { passages, keys, members } = embedded(units);
    expect([...members]).toEqual([
      ['chunk-0', ['memory-0', 'memory-1']],
      ['chunk-1', ['memory-2']],
    ]);
    const [one, two, three] = [...passages.keys()];
    const ids = [['memory-0'], ['memory-1'], ['memory-2']];
    const window = { kind: 'window', texts: ['One.', 'Two.', 'Three.'], keys: [one, two, three], units: ids };
    expect([...passages.values()]).toEqual([window, window, window]);
    expect(keys).toEqual([
      { bare: [one, two], wide: null, tokens: 0 },
      { bare: [three], wide: null, tokens: 0 },
      { bare: [one], wide: null, tokens: 1 },
      { bare: [two], wide: null, tokens: 1 },
      { bare: [three], wide: null, tokens: 2 },
    ]);
  });

  it('compares a memory that two chunks share by both, and a chunk without memories by its own vector', () => {
    const shared = embedded([...chunks('One.', 'Two.'), ...memories('One. Two.')]);
    expect(shared.keys.map(({ bare }) => bare)).toEqual([...Array(3)].map(() => [...shared.passages.keys()]));
    const { passages, keys } = embedded(chunks('One.', 'Two.'));
    const [one, two] = [...passages.keys()];
    expect(keys.map(({ bare }) => bare)).toEqual([[one], [two]]);
    expect(passages.get(one as string)).toMatchObject({ texts: ['One.', 'Two.'] });
  });

  it('embeds the whole of a text that a model can read, but no window holds, unless it is a conversation', () => {
    const sentences = (length: number) => Array.from({ length }, (_, i) => sentence(i));
    const unitsOf = (texts: readonly string[]) => [...chunks(texts.join(' ')), ...memories(...texts)];
    for (const texts of [sentences(12), sentences(33)]) {
      const { passages, keys } = embedded(unitsOf(texts));
      expect(passages.get(keys[0]?.wide ?? '')).toEqual({ kind: 'text', text: texts.join(' ') });
    }
    const said = unitsOf(sentences(12)).map((one) => (one.kind === 'memory' ? { ...one, speaker: 'Ann' } : one));
    for (const none of [said, unitsOf(sentences(60)), chunks('One.')]) {
      expect(embedded(none).keys.map(({ wide }) => wide)).toEqual(none.map(() => null));
    }
  });

  it('gives a text another vector in another window or at another place', () => {
    const keysOf = (...texts: readonly string[]) => [...embedded(memories(...texts)).passages.keys()];
    const keys = [keysOf('One.'), keysOf('One.', 'One.'), keysOf('One.', 'Two.'), keysOf('One.One.')].flat();
    expect(new Set(keys).size).toBe(6);
    expect(keysOf('One.', 'Two.')).toEqual(keysOf('One.', 'Two.'));
  });
});
