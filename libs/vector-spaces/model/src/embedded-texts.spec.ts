import type { Unit } from '#views';
import { embeddedTexts, embeddedTextsInTurns } from './embedded-texts.ts';

const DOCUMENT = { organization: 'org', unitsDate: '2026-05-08' };
const unit = (kind: Unit['kind'], ordinal: number, text: string): Unit => ({
  ...{ id: `${kind}-${ordinal}`, kind, ordinal, text, speaker: null },
});
const CHUNK = unit('chunk', 0, 'One. Two.');
const UNITS = [CHUNK, unit('memory', 0, 'One.'), unit('memory', 1, 'Two.')];

/** The texts of each unit, found by its keys. */
function textsOf(units: readonly Unit[], document = DOCUMENT) {
  const { texts, keys } = embeddedTexts('space', document, units);
  return keys.map(({ bare, wide }) => ({ bare: texts.get(bare), wide: texts.get(wide) }));
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
  const { texts, keys } = embeddedTexts('space', alone, [unit('chunk', 0, 'One.'), unit('memory', 0, 'One.')]);
  expect([...texts.values()]).toEqual(['One.']);
  const [key] = texts.keys();
  expect(keys).toEqual([
    { bare: key, wide: key },
    { bare: key, wide: key },
  ]);
});

it('shares no key between spaces or organizations', () => {
  const keysIn = (space: string, organization: string) => [
    ...embeddedTexts(space, { ...DOCUMENT, organization }, UNITS).texts.keys(),
  ];
  const keys = [keysIn('a', 'org'), keysIn('b', 'org'), keysIn('a', 'other')].flat();
  expect(new Set(keys).size).toBe(keys.length);
});

it('names vectors as earlier versions did', () => {
  const { texts } = embeddedTexts('e5-small-v2-q.1.384', { organization: 'org', unitsDate: null }, [CHUNK]);
  expect([...texts.keys()]).toEqual(['19589fb8929454eddfc1323c5cfc3f98765b54d6250b059ac15c2d8c510821c9']);
});

it('embeds nothing of a document without units', () => {
  expect(embeddedTexts('space', DOCUMENT, [])).toEqual({ texts: new Map(), keys: [] });
});

it('lets other work run while it decides about many units', async () => {
  const units = Array.from({ length: 1_000 }, (_, i) => unit('memory', i, `Sentence ${i}.`));
  let ranMeanwhile = false;
  setImmediate(() => {
    ranMeanwhile = true;
  });
  const inTurns = await embeddedTextsInTurns('space', DOCUMENT, units);
  expect(ranMeanwhile).toBe(true);
  expect(inTurns).toEqual(embeddedTexts('space', DOCUMENT, units));
});
