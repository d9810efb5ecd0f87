import fc from 'fast-check';
import { frontMatterFrame } from './front-matter/frame.ts';
import { CHUNK_TOKENS, chunk, documentHeader, estimateTokens, formMemories, MEMORY_TOKENS, wideText } from './index.ts';
import type { Passage } from './port.ts';

const texts = (text: string, passages: readonly Passage[]): string[] =>
  passages.map((passage) => text.slice(passage.start, passage.end));
const turns = (text: string): (readonly [string | null, string])[] =>
  formMemories(text).map((memory) => [memory.speaker, text.slice(memory.start, memory.end)]);

const word = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('The', 'heron', '猫が好き。', '🦆'),
);
const anyText = fc
  .array(
    fc.tuple(
      word,
      fc.constantFrom(' ', ' ', '. ', '\n', '\n\n', '\n- ', '\n# ', '\nAnn: ', '\nBob: ', '\n---\n', '\n```\n', '。'),
    ),
    {
      maxLength: 150,
    },
  )
  .map((parts) => parts.flat().join('').replace(/\r/g, '').toWellFormed());
const longText = fc
  .tuple(anyText, anyText, fc.integer({ min: 1, max: 40 }))
  .map(([a, b, n]) => (a + b).repeat(n).slice(0, 20_000).toWellFormed())
  // Its marks are in no passage.
  .filter((text) => frontMatterFrame(text) === null);

function expectPartition(text: string, passages: readonly Passage[], limit: number): void {
  let end = 0;
  for (const passage of passages) {
    expect(passage.start).toBeGreaterThanOrEqual(end);
    expect(text.slice(end, passage.start).trim()).toBe('');
    const slice = text.slice(passage.start, passage.end);
    expect(slice).not.toBe('');
    expect(slice.trim()).toBe(slice);
    expect(slice.isWellFormed()).toBe(true);
    expect(estimateTokens(slice)).toBeLessThanOrEqual(limit);
    end = passage.end;
  }
  expect(text.slice(end).trim()).toBe('');
}

describe('for any text without front matter', () => {
  test('chunks cover it in order, without overlap, within their limit', () => {
    fc.assert(fc.property(longText, (text) => expectPartition(text, chunk(text), CHUNK_TOKENS)));
  });

  test('memories cover it in order, without overlap, within their limit', () => {
    fc.assert(fc.property(longText, (text) => expectPartition(text, formMemories(text), MEMORY_TOKENS)));
  });
});

test('a sentence is one chunk and one memory, of the same range', () => {
  const text = '  The heron waits at the pier.\n';
  expect(chunk(text)).toEqual([{ start: 2, end: 30 }]);
  expect(formMemories(text)).toEqual([{ start: 2, end: 30, speaker: null }]);
});

describe('chunk', () => {
  test('a heading starts a chunk, and consecutive headings stay together', () => {
    const text = '# Birds\n\n## Herons\n\nThey wait.\n\nThey strike.\n\n## Ducks\n\nThey dive.';
    expect(texts(text, chunk(text))).toEqual([
      '# Birds\n\n## Herons\n\nThey wait.\n\nThey strike.',
      '## Ducks\n\nThey dive.',
    ]);
  });

  test('a comment in fenced code is not a heading', () => {
    const text = 'Run:\n\n```sh\n# not a heading\n\nls\n```';
    expect(texts(text, chunk(text))).toEqual([text]);
  });

  test('long paragraphs are cut between sentences, long words inside the word', () => {
    const sentence = 'The grey heron waits at the pier for an hour.';
    const text = Array(60).fill(sentence).join(' ');
    for (const part of texts(text, chunk(text))) expect(part).toMatch(/^The .*hour\.$/);
    expect(texts('x'.repeat(2500), chunk('x'.repeat(2500))).map((part) => part.length)).toEqual([1000, 1000, 500]);
  });

  test('Chinese and Japanese are cut between sentences too', () => {
    const text = '今日はとても良い天気です。明日も晴れるでしょう。'.repeat(40);
    const parts = texts(text, chunk(text));
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts) expect(part).toMatch(/。$/);
  });
});

describe('memories of a transcript', () => {
  test.each([
    [
      'Ann: Hi!\nBob: Hello.',
      [
        ['Ann', 'Ann: Hi!'],
        ['Bob', 'Bob: Hello.'],
      ],
    ],
    ['user: Hi', [['user', 'user: Hi']]],
    [
      '**Ann:** Hi!\n\n**Bob:** Hello.',
      [
        ['Ann', '**Ann:** Hi!'],
        ['Bob', '**Bob:** Hello.'],
      ],
    ],
    [
      '[10:30] Ann B: Hi!\n[10:31] Bob: Yes?',
      [
        ['Ann B', '[10:30] Ann B: Hi!'],
        ['Bob', '[10:31] Bob: Yes?'],
      ],
    ],
    [
      'Ann (10:30): Hi!\nBob (10:31): Yes?',
      [
        ['Ann', 'Ann (10:30): Hi!'],
        ['Bob', 'Bob (10:31): Yes?'],
      ],
    ],
    [
      '5/8/23, 14:33 - Ann: Hi!\n5/8/23, 14:34 - Bob: Yes?',
      [
        ['Ann', '5/8/23, 14:33 - Ann: Hi!'],
        ['Bob', '5/8/23, 14:34 - Bob: Yes?'],
      ],
    ],
    [
      '田中：こんにちは。元気？\n山田：はい。',
      [
        ['田中', '田中：こんにちは。元気？'],
        ['山田', '山田：はい。'],
      ],
    ],
  ])('%j', (text, expected) => {
    expect(turns(text)).toEqual(expected);
  });

  test('lines without a name, labels and addresses belong to the preceding turn', () => {
    const text =
      'user: Bread?\nassistant: Of course.\n\nIngredients: flour\nNote: warm water\nhttps://example.org\n\n# Steps\n- knead\nuser: Thanks!';
    expect(turns(text).map(([speaker]) => speaker)).toEqual(['user', 'assistant', 'user']);
  });

  test('a dated line belongs to the following turn, a title to the first', () => {
    const text =
      'Trip planning: Portugal\n\n--- 4 May ---\n\nAnn: Ready?\nBob: Yes.\n\nSaturday, 5 May\n\nAnn: There!\nBob: Hot.';
    expect(turns(text)).toEqual([
      ['Ann', 'Trip planning: Portugal\n\n--- 4 May ---\n\nAnn: Ready?'],
      ['Bob', 'Bob: Yes.'],
      ['Ann', 'Saturday, 5 May\n\nAnn: There!'],
      ['Bob', 'Bob: Hot.'],
    ]);
  });

  test('a very long turn is cut between sentences, each part with its speaker', () => {
    const text = `Ann: ${'We walked along the river until it was dark. '.repeat(30)}\nBob: Nice.`;
    const parts = turns(text);
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.slice(0, -1).every(([speaker, part]) => speaker === 'Ann' && part.endsWith('.'))).toBe(true);
  });

  test.each([
    'Note: the shop is closed on Mondays. Please come back on Tuesday, when we will have fresh bread and rolls again.',
    'name: Ann\nage: 34\n\nname: Bob\nage: 35\n\nname: Cid\nage: 36',
    'From: Ann\nTo: Bob\nSubject: Boat\n\nThe boat leaves at nine.',
    '2024-05-01 10:00 INFO: started the server\n2024-05-01 10:01 ERROR: stopped the server\n2024-05-01 10:02 INFO: started',
    'See https://a.org: it is good.\nSee https://b.org: it is better.',
  ])('%j has no speakers', (text) => {
    expect(formMemories(text).every((memory) => memory.speaker === null)).toBe(true);
  });
});

describe('memories of prose', () => {
  test('are groups of sentences inside a paragraph; headings belong to the following text', () => {
    const paragraph =
      'The heron waits at the old pier. It strikes at dusk, e.g. in May. Dr. Moss saw it there. Nobody else did.';
    const text = `## Birds\n\n${paragraph}\n\n- The duck dives.\n- The gull steals.\n\nThe end of the long list of birds.`;
    expect(texts(text, formMemories(text))).toEqual([
      '## Birds\n\nThe heron waits at the old pier. It strikes at dusk, e.g. in May. Dr. Moss saw it there.',
      'Nobody else did.',
      '- The duck dives.\n- The gull steals.',
      'The end of the long list of birds.',
    ]);
  });

  test('a line broken by an editor does not end a sentence', () => {
    const text = `${'The heron waits at the old pier for an hour or even\nlonger than that when the tide is late in spring. '.repeat(2)}\n`;
    expect(texts(text, formMemories(text))).toEqual([text.trim()]);
  });

  test('a short text is one memory', () => {
    expect(formMemories('Hello there.\n\nBye.')).toHaveLength(1);
  });
});

describe('the wide form', () => {
  test('consists of the date, the neighbours and the unit', () => {
    expect(wideText(['Ann: Hi', 'Bob: Yes', 'Ann: Good'], 1, '2023-05-08T13:56:00Z')).toBe(
      '8 May 2023\nAnn: Hi\nBob: Yes\nAnn: Good',
    );
    expect(wideText(['Ann: Hi'], 0, null)).toBe('Ann: Hi');
  });

  test('clips the distant ends of the neighbours', () => {
    const before = `far ${'near '.repeat(200)}`.trim();
    const after = `near ${'far '.repeat(200)}`.trim();
    const wide = wideText([before, 'unit', after], 1, null);
    expect(wide).toMatch(/^near[\s\S]*near\nunit\nnear far/);
    expect(wide.length).toBeLessThanOrEqual(810);
  });

  test('stays within the input limit of models, in whole characters', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 900 }), { minLength: 3, maxLength: 3 }),
        (units) => {
          const parts = units
            .map((unit) => chunk(unit.toWellFormed())[0])
            .map((part, index) => (part ? (units[index] as string).toWellFormed().slice(part.start, part.end) : ''));
          const wide = wideText(parts, 1, '2023-05-08');
          expect(estimateTokens(wide)).toBeLessThanOrEqual(452);
          expect(wide.isWellFormed()).toBe(true);
        },
      ),
    );
  });

  test('has the date without the time as header', () => {
    expect(documentHeader('2024-12-31T23:30:00-08:00')).toBe('31 December 2024');
    expect(documentHeader('2024-02-03')).toBe('3 February 2024');
    expect(documentHeader('last spring')).toBe('last spring');
    expect(documentHeader(null)).toBe('');
  });
});

describe('the boundaries after a change', () => {
  const random = (seed: number) => Math.abs(Math.sin(seed) * 10_000) % 1;
  const wordsOf = (count: number, seed: number): string[] =>
    Array.from({ length: count }, (_, i) => `${'abcdefgh'[i % 8]}${Math.floor(random(i + seed) * 1e6).toString(36)}`);
  const sentences = (count: number): string[] =>
    Array.from({ length: count }, (_, i) => `The ${wordsOf(6 + Math.floor(random(i) * 15), i * 50).join(' ')}.`);
  const changed = (before: readonly string[], after: readonly string[]): number => {
    const known = new Set(before);
    return after.filter((passage) => !known.has(passage)).length;
  };

  test.each([
    ['one long sentence', wordsOf(8_000, 1).join(' '), 'inserted '],
    ['one long word', wordsOf(8_000, 1).join(''), 'inserted'],
    ['a paragraph', sentences(600).join(' '), 'It is new. '],
    ['lines', sentences(600).join('\n'), 'It is new.\n'],
    ['paragraphs', sentences(600).join('\n\n'), 'It is new.\n\n'],
    ['long turns', `Ann: ${sentences(300).join(' ')}\nBob: ${sentences(300).join(' ')}`, 'Ann: It is new.\n'],
  ])('are the same again a few passages later: %s', (_, text, inserted) => {
    const next = inserted + text;
    expect(changed(texts(text, chunk(text)), texts(next, chunk(next)))).toBeLessThanOrEqual(8);
    expect(changed(texts(text, formMemories(text)), texts(next, formMemories(next)))).toBeLessThanOrEqual(8);
  });

  test('a line at the end changes the last passage only', () => {
    const lines = sentences(400);
    for (let count = 380; count < 400; count += 1) {
      const text = lines.slice(0, count).join('\n');
      const next = lines.slice(0, count + 1).join('\n');
      expect(changed(texts(text, formMemories(text)), texts(next, formMemories(next)))).toBe(1);
      expect(changed(texts(text, chunk(text)), texts(next, chunk(next)))).toBe(1);
    }
  });
});

test('tokens are estimated by script', () => {
  expect(estimateTokens('abcdefgh')).toBe(2);
  expect(estimateTokens('猫が好き')).toBe(4);
  expect(estimateTokens('🦆')).toBe(1);
  expect(estimateTokens('')).toBe(0);
});
