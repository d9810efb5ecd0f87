import { atOnce } from '#platform/kernel';
import { processorTime } from '../../../platform/kernel/src/testing/processor-time.ts';
import { extractDocument, splitText } from './index.ts';
import { markedParts } from './marked-text.ts';

/** `[speaker, words, date]` of each part. */
const parts = (text: string) =>
  atOnce(markedParts(text)).map(({ speaker, start, end, date }) => [speaker, text.slice(start, end), date]);

const CODEX = [
  '[Session ID] 0199ab-77',
  '',
  '1. [user] Run the unit tests.',
  'All of them, please.',
  '2. [assistant] 42 tests passed.',
].join('\n');
const CLAUDE_CODE = [
  '<|turn_start|>2026-11-27T09:30:00.000Z',
  '',
  '<|start|>user<|message|>Where is the config?',
  '',
  'I cannot find it.<|end|>',
  '<|start|>assistant:tool<|message|>Tool: Read config.json<|end|>',
  '<|start|>assistant:tool_result<|message|>{"port": 6767}<|end|>',
  '',
  '<|turn_end|>',
  '',
  '<|turn_start|>2026-11-28T10:00:00Z<|start|>user<|message|>Thanks.<|end|><|turn_end|>',
].join('\n');
const OPEN_CLAW = '[role: user]\nI moved to Bergen.\n[user:end]\n\n[role: assistant]\nNoted: Bergen.\n[assistant:end]';

describe('the parts of a marked text', () => {
  test.each<[string, string, ReturnType<typeof parts>]>([
    [
      'numbered turns behind the id of a session',
      CODEX,
      [
        ['user', 'Run the unit tests.\nAll of them, please.', null],
        ['assistant', '42 tests passed.', null],
      ],
    ],
    [
      'turns without numbers',
      '[user] Hi there.\r\n[Assistant] Hello.\r\n',
      [
        ['user', 'Hi there.', null],
        ['Assistant', 'Hello.', null],
      ],
    ],
    [
      'frames with a time, and messages in them',
      CLAUDE_CODE,
      [
        ['user', 'Where is the config?\n\nI cannot find it.', '2026-11-27T09:30:00.000Z'],
        ['assistant', 'Tool: Read config.json', '2026-11-27T09:30:00.000Z'],
        ['assistant', '{"port": 6767}', '2026-11-27T09:30:00.000Z'],
        ['user', 'Thanks.', '2026-11-28T10:00:00.000Z'],
      ],
    ],
    [
      'blocks with an end',
      OPEN_CLAW,
      [
        ['user', 'I moved to Bergen.', null],
        ['assistant', 'Noted: Bergen.', null],
      ],
    ],
    ['a summary', '[Session Summary]\nDana moved to Bergen.', [[null, 'Dana moved to Bergen.', null]]],
    [
      'notes with a date, and a name',
      '[SAVE:2026-11-27]\nDana rows.\n[/SAVE]\n[SAVE:my-app:2026-11-28T08:00:00Z]Dana swims.[/SAVE]',
      [
        [null, 'Dana rows.', '2026-11-27'],
        [null, 'Dana swims.', '2026-11-28T08:00:00.000Z'],
      ],
    ],
    ['a note without a date', '[SAVE:my-app]\nDana rows.\n[/SAVE]', [[null, 'Dana rows.', null]]],
    [
      'one form behind another, and a text between',
      `A first note.\n${OPEN_CLAW}\nA last note.\n${CODEX}`,
      [
        [null, 'A first note.', null],
        ['user', 'I moved to Bergen.', null],
        ['assistant', 'Noted: Bergen.', null],
        [null, 'A last note.', null],
        ['user', 'Run the unit tests.\nAll of them, please.', null],
        ['assistant', '42 tests passed.', null],
      ],
    ],
    [
      'a message that was cut off, before the next one and at the end',
      '<|start|>user<|message|>One\n<|start|>user<|message|>Two<|end|>\n<|start|>user<|message|>Thr',
      [
        ['user', 'One', null],
        ['user', 'Two', null],
        ['user', 'Thr', null],
      ],
    ],
    [
      'a message that quotes other markers',
      '<|start|>user<|message|>What is this?\n[user] hello\n1. [assistant] hi<|end|>',
      [['user', 'What is this?\n[user] hello\n1. [assistant] hi', null]],
    ],
  ])('%s', (_, text, expected) => {
    expect(parts(text)).toEqual(expected);
  });

  test.each([
    ['a list of tasks', '- [x] buy milk\n[x] buy milk\n[ ] buy bread'],
    ['other words in brackets', '1. [draft] A title\n[note] of mine\n[tool] a hammer'],
    ['the section of a file of settings', '[core]\neditor = vi\n[user]\nname = Dana'],
    ['a single line in the midst of others', 'The log says:\n[system] ready\nThat is all.'],
    ['words about the markers', 'A message ends with <|end|>, and begins with <|start|>user<|message|> there.'],
  ])('a text without any is one part: %s', (_, text) => {
    expect(parts(text)).toEqual([[null, text, null]]);
  });

  test('markers without words are no parts', () => {
    expect(parts('[Session ID] 12\n<|turn_start|>2026-11-27\n<|turn_end|>')).toEqual([]);
  });

  test('are found in linear time, whether marks end or not', async () => {
    const lines = (line: string, count: number) => `${line}\n`.repeat(count);
    const timeOf = (text: string) => processorTime(() => atOnce(markedParts(text)));
    for (const line of [
      '[role: user]',
      '<|start|>user<|message|>',
      '[SAVE:1]',
      '[Session ID] ',
      '1. [user]',
      '[user] [',
    ]) {
      atOnce(markedParts(lines(line, 2_000)));
      const [short, long] = [await timeOf(lines(line, 10_000)), await timeOf(lines(line, 160_000))];
      // Sixteen times as long; in quadratic time it would be 256 times.
      expect(long / Math.max(short, 1)).toBeLessThan(100);
    }
  });
});

describe('the passages of a marked text', () => {
  const textsOf = (text: string) => {
    const { chunks, memories } = splitText(text);
    return {
      chunks: chunks.map(({ start, end }) => text.slice(start, end)),
      memories: memories.map(({ start, end, speaker }) => [speaker, text.slice(start, end)]),
    };
  };

  test('are its turns, each with its speaker, and without any marker', () => {
    expect(textsOf(`${CODEX}\n${OPEN_CLAW}`)).toEqual({
      chunks: ['Run the unit tests.\nAll of them, please.', '42 tests passed.', 'I moved to Bergen.', 'Noted: Bergen.'],
      memories: [
        ['user', 'Run the unit tests.\nAll of them, please.'],
        ['assistant', '42 tests passed.'],
        ['user', 'I moved to Bergen.'],
        ['assistant', 'Noted: Bergen.'],
      ],
    });
  });

  test('are of one turn, however long it is', () => {
    const long = Array.from({ length: 80 }, (_, i) => `This is sentence ${i} of what the user says.`).join(' ');
    const { chunks, memories } = textsOf(`1. [user] ${long}\n2. [assistant] Noted.`);
    expect(memories.length).toBeGreaterThan(3);
    expect(memories.slice(0, -1).every(([speaker]) => speaker === 'user')).toBe(true);
    expect(memories.at(-1)).toEqual(['assistant', 'Noted.']);
    expect(chunks.at(-1)).toBe('Noted.');
    for (const words of chunks) expect(words).not.toContain('[');
  });

  test('have the date of their turn, and the document that of its first', async () => {
    const text = `${CLAUDE_CODE}\nA note.`;
    const { chunks, memories, date, title } = await extractDocument({
      ...{ body: text, kind: 'text', fileName: null, documentDate: null },
    });
    const dates = ['2026-11-27T09:30:00.000Z', '2026-11-27T09:30:00.000Z', '2026-11-27T09:30:00.000Z'];
    for (const passages of [chunks, memories]) {
      expect(passages.map(({ location }) => location?.date)).toEqual([...dates, '2026-11-28T10:00:00.000Z', undefined]);
    }
    expect({ date, title }).toEqual({ date: dates[0], title: 'Where is the config?' });
  });

  test('a note is read like any text, with its date', async () => {
    const note = '# Rowing\n\nDana rows on Saturdays.';
    const text = `[SAVE:rows:2026-11-27]\n${note}\n[/SAVE]`;
    const { memories, title, date } = await extractDocument({
      ...{ body: text, kind: 'text', fileName: null, documentDate: null },
    });
    expect(memories.map(({ start, end }) => text.slice(start, end))).toEqual([note]);
    expect(memories[0]?.location).toEqual({ heading: 'Rowing', date: '2026-11-27' });
    expect({ title, date }).toEqual({ title: 'Rowing', date: '2026-11-27' });
  });

  test('a text without a word between its markers has no text', async () => {
    const source = { body: '[Session ID] 0199ab', kind: 'text', fileName: null, documentDate: null };
    await expect(extractDocument(source)).rejects.toMatchObject({ code: 'extraction_failed' });
  });
});

describe('borders between texts that were added one by one', () => {
  const facts = ['Dana lives in Bergen.', 'Mara rows on Sundays.', '[user] Ottoline is a ketch.'];
  const text = facts.join('\n');
  const borders = [facts[0]?.length ?? 0, text.indexOf('[')].map((at, i) => (i === 0 ? at + 1 : at));

  test('no chunk and no memory reaches beyond one, and each text is read by itself', () => {
    const { chunks, memories } = splitText(text, undefined, [], borders);
    const words = ['Dana lives in Bergen.', 'Mara rows on Sundays.', 'Ottoline is a ketch.'];
    expect(chunks.map(({ start, end }) => text.slice(start, end))).toEqual(words);
    expect(memories.map(({ start, end }) => text.slice(start, end))).toEqual(words);
    expect(memories.map(({ speaker }) => speaker)).toEqual([null, null, 'user']);
    expect(splitText(text).memories.length).toBeLessThan(3);
  });

  test('stay where the texts begin, also where reading changes what is before them', async () => {
    const body = `<html><body><p>Dana   lives in Bergen.</p></body></html>\nMara rows\r\non Sundays.\nIt rains.`;
    const found = await extractDocument({
      ...{ body, kind: 'text', fileName: null, documentDate: null },
      borders: [body.indexOf('Mara'), body.indexOf('It rains')],
    });
    expect(found.memories.map(({ start, end }) => found.text.slice(start, end))).toEqual([
      'Dana lives in Bergen.',
      'Mara rows\non Sundays.',
      'It rains.',
    ]);
    expect(found.borders.map((at) => found.text.slice(at, at + 4))).toEqual(['Mara', 'It r']);
  });
});
