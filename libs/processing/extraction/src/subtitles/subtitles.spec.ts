import { readFile } from 'node:fs/promises';
import { processorTime } from '../../../../platform/kernel/src/testing/processor-time.ts';
import { detectKind } from '../detect.ts';
import { extractDocument } from '../index.ts';

const FIXTURES = new URL('../../../../../test/fixtures/subtitles/', import.meta.url);
const read = (body: string | Uint8Array, kind = 'subtitles') =>
  extractDocument({ body, kind, fileName: null, documentDate: null });
const textOf = async (...lines: readonly string[]) => (await read(lines.join('\n'))).text;
/** Cues one after the other, of two seconds each. */
const srt = (...cues: readonly string[]) =>
  cues
    .map(
      (words, i) =>
        `${i + 1}\n00:00:${String(i * 2).padStart(2, '0')},000 --> 00:00:${String(i * 2 + 2).padStart(2, '0')},000\n${words}\n`,
    )
    .join('\n');
const vtt = (...cues: readonly string[]) => `WEBVTT\n\n${srt(...cues).replaceAll(',', '.')}`;

const BUDGET = 'The budget for the harbour crane is ninety thousand crowns.';
const GREEN = 'Then we buy the green one.';
const DASHES = 'Where is the crane?\n\nAt pier & quay two. It is green.';

test.each([
  ['talk.vtt', `Orla: ${BUDGET}\nBram: ${GREEN}`],
  ['talk.srt', `${BUDGET}\n\n${GREEN}`],
  ['webvtt-py.vtt', `ORLA: ${BUDGET}\nBRAM: ${GREEN}`],
  ['pysubs2.vtt', `ORLA: ${BUDGET}\nBRAM: ${GREEN}`],
  ['pysubs2.srt', `ORLA: ${BUDGET}\nBRAM: ${GREEN}`],
  ['srt.srt', `ORLA: ${BUDGET}\nBRAM: ${GREEN}`],
  ['pysrt-cp1251.srt', 'ОРЛА: Бюджет портового крана девяносто тысяч крон.\nБРАМ: Тогда мы купим зелёный кран.'],
  ['npm-subtitle.vtt', DASHES],
  ['npm-subtitle.srt', DASHES],
  ['npm-subsrt.vtt', DASHES],
  ['youtube-rolling.vtt', 'the ferry leaves at nine and the ferry is full\n\ncome early'],
])('%s is what is said', async (name, text) => {
  const bytes = await readFile(new URL(name, FIXTURES));
  expect((await read(bytes)).text).toBe(text);
  // Without its name.
  expect((await read(bytes, 'text')).text).toBe(text);
  expect(await detectKind({ bytes, fileName: name, contentType: 'text/plain' })).toEqual({
    kind: 'subtitles',
    type: 'text',
  });
});

test('each passage has the second at which it begins, and its speaker', async () => {
  const { memories, text } = await read(await readFile(new URL('talk.vtt', FIXTURES)));
  expect(memories.map(({ start, end, speaker, location }) => [text.slice(start, end), speaker, location])).toEqual([
    [`Orla: ${BUDGET}`, 'Orla', { startSeconds: 1 }],
    [`Bram: ${GREEN}`, 'Bram', { startSeconds: 8 }],
  ]);
  const long = await read(
    srt(...Array.from({ length: 25 }, (_, i) => `Sentence ${i} of this talk is said in this cue.`)),
  );
  expect(new Set(long.memories.map(({ location }) => location?.startSeconds)).size).toBe(long.memories.length);
});

test('WebVTT: header, comments, styles, regions, names of cues, settings, tags and times inside of words', async () => {
  const file = [
    'WEBVTT - Harbour talk',
    'Language: nb',
    '',
    'STYLE',
    '::cue { color: red }',
    '',
    'REGION',
    'id:fred',
    '',
    'NOTE',
    'Nobody says this',
    '',
    'intro - 1',
    '01:02.500 --> 01:04.000 line:0% align:start',
    '<v.loud Orla Byrne><c.yellow>The</c> <00:01:03.000>crane &amp; the <b>pier</b></v>',
    '<ruby>港<rt>みなと</rt></ruby> &lt;open&gt;',
    '',
    'not a cue',
    '',
    '100:00:01.000 --> 100:00:04.000',
    '<v Bram>Far away</v> <v Orla Byrne>Yes',
  ];
  const { text, title, language, memories } = await read(file.join('\n'));
  expect(text).toBe('Orla Byrne: The crane & the pier\n\n港 <open>\n\nBram: Far away\nOrla Byrne: Yes');
  expect([title, language]).toEqual(['Harbour talk', 'no']);
  expect(memories.map(({ speaker, location }) => [speaker, location?.startSeconds])).toEqual([
    ['Orla Byrne', 62.5],
    [null, 62.5],
    ['Bram', 360_001],
    ['Orla Byrne', 360_001],
  ]);
});

test('SRT: dots, missing hours and numbers, blank lines, codes in braces, a damaged cue', async () => {
  const file = [
    ...['1', '0:00:01.5 --> 0:00:03.5', '{\\an8}{\\i1}One{\\i0}\\Ntwo', '', '{y:i}three', '', '2'],
    ...['00:03,600 --> 00:04,000 X1:1 X2:2', '1945', '3', '00:00:xx,000 --> 00:00:06,000', 'damaged', '', '4'],
    ...['00:00:04,100 --> 00:00:06,000', 'a < b'],
  ];
  expect(await textOf(...file)).toBe('One two three 1945 a < b');
});

describe('who speaks', () => {
  test.each([
    [
      'names before colons, over cues',
      ['Orla: The crane', 'is closed.', 'Bram: I see.'],
      'Orla: The crane is closed.\nBram: I see.',
    ],
    [
      'a name in each cue',
      ['Orla: The crane', 'Orla: is closed.', 'Bram: I see.'],
      'Orla: The crane is closed.\nBram: I see.',
    ],
    ['dashes', ['- Where?\n- At pier two.\nYes.', 'It is green.'], 'Where?\n\nAt pier two. Yes. It is green.'],
    ['dashes with names', ['- ORLA: Where?\n- There.'], 'ORLA: Where?\n\nThere.'],
    ['marks of captions', ['>> ORLA: Where?', '>> There.'], 'ORLA: Where?\n\nThere.'],
    [
      'other words before a colon',
      ['We need', 'One thing: time.', 'And more', 'of it', 'now.'],
      'We need One thing: time. And more of it now.',
    ],
    ['a label', ['Note: bring keys.', 'Yes.'], 'Note: bring keys. Yes.'],
    ['long dashes', ['— Where?\n— At pier', '— or so — two.'], 'Where?\n\nAt pier — or so — two.'],
    ['a name on a line of its own', ['ORLA:\nThe crane', 'is closed.'], 'ORLA: The crane is closed.'],
    ['numbers below zero', ['It is', '-5 degrees.'], 'It is -5 degrees.'],
  ])('%s', async (_, cues, text) => {
    expect(await textOf(srt(...cues))).toBe(text);
  });

  test('a cue without a voice ends the sentence of the voice before', async () => {
    expect(await textOf(vtt('<v Orla>The crane', 'is closed.', 'A door opens.'))).toBe(
      'Orla: The crane is closed.\n\nA door opens.',
    );
  });

  test('a pause begins a turn of the same speaker', async () => {
    const file = 'WEBVTT\n\n00:01.000 --> 00:02.000\n<v Orla>One.\n\n00:09.000 --> 00:10.000\n<v Orla>Two.\n';
    expect(await textOf(file)).toBe('Orla: One.\nOrla: Two.');
  });
});

describe('what is repeated', () => {
  test.each([
    ['captions that roll', ['we go', 'we go\nto the pier', 'to the pier\nat nine'], 'we go to the pier at nine'],
    ['captions that grow', ['we', 'we go', 'we go to', 'we go to the pier'], 'we go to the pier'],
    [
      'words that are coloured one by one',
      ['<b>we</b> go now', 'we <b>go</b> now', 'we go <b>now</b>', 'good'],
      'we go now good',
    ],
    ['notes of a program', ['we go there', 'we go there\n[Music]', '[Music]\nnow it ends'], 'we go there now it ends'],
  ])('%s: once', async (_, cues, text) => {
    expect(await textOf(srt(...cues))).toBe(text);
    expect(await textOf(vtt(...cues))).toBe(text);
  });

  test('by a person: twice', async () => {
    expect(await textOf(srt('No.', 'No.', 'We stay.', 'Here at the pier.', 'Until nine.', 'Or ten.'))).toBe(
      'No. No. We stay. Here at the pier. Until nine. Or ten.',
    );
  });
});

test.each([
  ['a text that mentions an arrow', 'Go from A --> B\nand back'],
  ['a file without cues', 'no cues in here'],
])('%s stays as it is', async (_, text) => {
  expect(await textOf(text)).toBe(text);
  expect((await read(text, 'text')).text).toBe(text);
});

test('WebVTT without words holds no text', async () => {
  await expect(read('WEBVTT\n\n00:01.000 --> 00:02.000\n\n')).rejects.toMatchObject({ code: 'extraction_failed' });
});

test('are read in linear time', async () => {
  const file = (count: number) =>
    `WEBVTT\n\n${Array.from({ length: count }, (_, i) => `${Math.floor(i / 60)}:${String(i % 60).padStart(2, '0')}.000 --> ${Math.floor(i / 60)}:${String(i % 60).padStart(2, '0')}.900\n<v Orla>word ${'<'.repeat(50)} and`).join('\n\n')}`;
  const timeOf = (count: number) => processorTime(() => read(file(count)));
  await timeOf(2_000);
  const [small, large] = [await timeOf(5_000), await timeOf(40_000)];
  expect(large / small).toBeLessThan(30);
});
