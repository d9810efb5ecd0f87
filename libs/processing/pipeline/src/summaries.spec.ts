import type { DocumentTexts, Live, Pieces } from '#features/documents';
import { quantize } from '#features/search';
import { embeddedTexts } from '#features/vector-spaces/model';
import type { Unit } from '#read-side/views';
import { Summaries } from './summaries.ts';

const SPACE = 'model.2.2';
const WORDS = ['ferry', 'harbour', 'pilot', 'crane', 'buoy', 'net', 'lamp', 'barge'];
/** Too long together for a summary. The third one has the most frequent words. */
const TEXTS = WORDS.map(
  (word, i) => `The ${word} ${i === 2 ? 'of the ferry, the harbour and the crane ' : ''}${'is here '.repeat(12)}`,
);
const TEXT = TEXTS.join('\n\n');
const RANGES = TEXTS.map((text) => ({
  start: TEXT.indexOf(text),
  end: TEXT.indexOf(text) + text.length,
  speaker: null,
}));
const MEMORIES = TEXTS.map(
  (text, ordinal): Unit => ({ id: `m${ordinal}`, kind: 'memory', ordinal, text, speaker: null }),
);
const UNITS: readonly Unit[] = [{ id: 'c0', kind: 'chunk', ordinal: 0, text: TEXT, speaker: null }, ...MEMORIES];
const PASSAGES = { chunks: [{ start: 0, end: TEXT.length }], memories: RANGES };

const documentIn = (vectorSpace: string | null) =>
  ({
    ...{ organization: 'org', id: 'doc', title: 'Title', unitsDate: null, vectorSpace, extracted: 'content' },
    frontMatter: null,
    content: { parts: [{ inline: TEXT }] },
    chunks: { inline: [['c0', 0, TEXT.length]] },
    memories: { inline: RANGES.map(({ start, end }, i) => [`m${i}`, start, end, null]) },
  }) as unknown as Live;

/** The sixth memory is the nearest to the mean. @param isKept whether the cache has the vectors */
function open({ isReady = false, isKept = true } = {}) {
  const { keys } = embeddedTexts(SPACE, { organization: 'org', unitsDate: null }, UNITS);
  const angles = MEMORIES.map((_, i) => (i === 5 ? 0 : (i % 2 === 0 ? 1 : -1) * (0.5 + i / 10)));
  const vectors = new Map(
    angles.map((angle, i) => [keys[i + 1]?.bare[0], quantize(Float32Array.of(Math.cos(angle), Math.sin(angle)))]),
  );
  const asked: string[] = [];
  const texts = {
    extracted: async () => TEXT,
    readList: async ({ inline }: { inline: unknown }) => inline,
    items: async ({ inline }: { inline: readonly unknown[] }) =>
      (async function* () {
        yield* inline;
      })(),
    pieces: async () =>
      (async function* () {
        yield TEXT;
      })(),
  } as unknown as DocumentTexts;
  const summaries = new Summaries({
    texts,
    vectors: {
      get: async (wanted) => {
        asked.push(...wanted);
        return wanted.map((key) => (isKept ? (vectors.get(key) ?? null) : null));
      },
    },
    embedders: { ready: () => (isReady ? [{} as never] : []), names: () => [SPACE] },
  });
  return { summaries, asked };
}

const first = (summary: string | null | undefined, text: string) => expect(summary).toContain(text.trim());

test('given vectors, then the passages nearest to their mean are the summary', async () => {
  const { summaries, asked } = open();
  const summary = await summaries.ofUnits(documentIn(SPACE), UNITS, SPACE);
  first(summary, TEXTS[5] as string);
  expect(summary).not.toContain('lamp');
  expect(await summaries.ofDocument(documentIn(SPACE))).toBe(summary);
  expect(await summaries.ofDocument(documentIn('replaced.2.2'))).toBe(summary);
  expect(new Set(asked).size).toBeLessThan(3 * MEMORIES.length);
});

test('given vectors that the cache has lost, then the passages with the most frequent words are', async () => {
  const { summaries } = open({ isKept: false });
  expect(await summaries.ofUnits(documentIn(SPACE), UNITS, SPACE)).toBeUndefined();
  first(await summaries.ofDocument(documentIn(SPACE)), TEXTS[2] as string);
});

test('given passages that were just cut, then their words decide, or vectors if a model will make some', async () => {
  const summary = await open().summaries.ofPassages(documentIn(null), TEXT, PASSAGES);
  first(summary, TEXTS[2] as string);
  expect(await open().summaries.ofDocument(documentIn(null))).toBe(summary);
  expect(await open({ isReady: true }).summaries.ofPassages(documentIn(null), TEXT, PASSAGES)).toBeUndefined();
});

test('given the pieces of a very long text, then their words decide, unless a model will make vectors', async () => {
  const document = documentIn(null);
  const { chunks, memories } = document;
  const pieces = { chunks, memories, unitKey: 'key', sizes: { chunks: 1, memories: 8 } } as Pieces;
  const { summary } = await open().summaries.addTo(pieces, document);
  expect(summary).toBe(await open().summaries.ofPassages(documentIn(null), TEXT, PASSAGES));
  expect(await open({ isReady: true }).summaries.addTo(pieces, document)).toBe(pieces);
});

test('given few passages, then all of them are the summary, without a look at vectors', async () => {
  const { summaries, asked } = open({ isReady: true });
  const [one, two] = UNITS.slice(1, 3) as [Unit, Unit];
  const expected = `${one.text.trim()} ${two.text.trim()}`;
  expect(await summaries.ofPassages(documentIn(null), TEXT, { chunks: [], memories: RANGES.slice(0, 2) })).toBe(
    expected,
  );
  expect(await summaries.ofUnits(documentIn(SPACE), [one, two], SPACE)).toBe(expected);
  expect(asked).toEqual([]);
});

test('given front matter, then its passage is no part of the summary', async () => {
  const noted = { ...documentIn(SPACE), frontMatter: { title: 'Title' } } as Live;
  const [front, one, two] = UNITS.slice(1, 4) as [Unit, Unit, Unit];
  const expected = `${one.text.trim()} ${two.text.trim()}`;
  const { summaries } = open();
  expect(await summaries.ofPassages(noted, TEXT, { chunks: [], memories: RANGES.slice(0, 3) })).toBe(expected);
  expect(await summaries.ofUnits(noted, [front, one, two], SPACE)).toBe(expected);
  expect(await summaries.ofPassages(noted, TEXT, { chunks: [], memories: RANGES.slice(0, 1) })).toBe(null);
});

test('given a document without memories, then its chunks are compared', async () => {
  const { summaries } = open();
  const summary = await summaries.ofPassages(documentIn(null), TEXT, { chunks: RANGES, memories: [] });
  expect(summary).toBe(await summaries.ofPassages(documentIn(null), TEXT, PASSAGES));
});
