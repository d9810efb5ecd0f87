import { readFile } from 'node:fs/promises';
import { extract, extractDocument } from '../index.ts';
import { jsonSource, textOf } from './testing/text-of.ts';

const FIXTURES = new URL('../../../../../test/fixtures/conversations/', import.meta.url);
const fixture = async (name: string) => (await extract(jsonSource(await readFile(new URL(name, FIXTURES))))).text;

describe('files that were read as lines of keys', () => {
  test.each([
    [
      'openai-tools.json',
      'user: What does the ferry cost?\nassistant: [calls price {"line":4}]\ntool: 75\nassistant: The ferry on line four costs 75 crowns.',
    ],
    [
      'slack.json',
      '[5 March 2024, 08:30] Orla Byrne: The crane at pier four is closed\n[5 March 2024, 08:31] harbourbot: Wind 9 metres a second\n[5 March 2024, 08:32] Bram Claes: I will berth at pier two',
    ],
    [
      'n-slack-plain.json',
      '[5 March 2024, 08:30] U02ORLA: The crane at pier four is closed\n[5 March 2024, 08:32] U02BRAM: I berth at pier two',
    ],
    [
      'telegram.json',
      '# Harbour\n\n[5 March 2024, 09:30] Orla: The crane at pier four is closed\n[5 March 2024, 09:31] Bram: See https://example.org/pier for pier two',
    ],
    [
      'chatgpt.json',
      '# Ferry (5 March 2024)\n\n[5 March 2024, 08:30] user: Which pier does the ferry use?\n[5 March 2024, 08:30] assistant: It uses pier two.',
    ],
    [
      'n-discord.json',
      '# Port: crew\n\n[5 March 2024, 09:30] Orla: The crane is closed\n[5 March 2024, 09:31] Bram: [file a.png]',
    ],
  ])('%s is a conversation', async (name, text) => {
    expect(await fixture(name)).toBe(text);
  });
});

describe('conversations in general', () => {
  test('a file of many has a heading for each, also as JSON lines of which one is damaged', async () => {
    const lines = [
      '{"title": "Piers", "messages": [{"role": "user", "content": "One"}]}',
      '{"messages": [{"role": "user", "content": "Tw',
      '{"messages": [{"role": "user", "content": "Three"}]}',
    ];
    const { text, title } = await extract(jsonSource(lines.join('\n')));
    expect(text).toBe('# Piers\n\nuser: One\n\n# Conversation 2\n\nuser: Three');
    expect(title).toBe('Piers');
    expect(await textOf([{ conversations: [{ from: 'human', value: 'One' }] }])).toBe('human: One');
  });

  test('records that have a text are no conversation', async () => {
    expect(
      await textOf([
        { title: 'One', text: 'a' },
        { title: 'Two', text: 'b' },
      ]),
    ).toBe('- title: One; text: a\n\n- title: Two; text: b');
    expect(
      await textOf([
        { name: 'pen', value: 1 },
        { name: 'nib', value: 2 },
      ]),
    ).toBe('- name: pen; value: 1\n\n- name: nib; value: 2');
    expect(await textOf([{ from: 'Oslo', to: 'Bergen', value: '75' }])).toBe('- from: Oslo; to: Bergen; value: 75');
  });

  test('each turn is a memory with its speaker and time, whatever its name and words are', async () => {
    const names = ['+47 912 34 567', '🌊 Note: Orla Maria van den Berg of Pier Four', 'Status'];
    const messages = names.map((speaker, i) => ({
      speaker,
      text: `Line ${i}\n\nuser: quoted\n# no heading`,
      time: `2024-03-05 09:3${i}`,
    }));
    const { text, memories, chunks, date } = await extractDocument(jsonSource(JSON.stringify({ messages })));
    expect(memories.map(({ speaker, location }) => [speaker, location])).toEqual([
      ['+47 912 34 567', { date: '2024-03-05T09:30' }],
      ['🌊 Note Orla Maria van den Berg of Pier Four', { date: '2024-03-05T09:31' }],
      ['Status', { date: '2024-03-05T09:32' }],
    ]);
    expect(text.slice(memories[2]?.start, memories[2]?.end)).toBe(
      '[5 March 2024, 09:32] Status: Line 2\n\nuser: quoted\n# no heading',
    );
    expect(chunks).toHaveLength(1);
    expect(date).toBe('2024-03-05');
  });

  test('texts that are added one by one are read by themselves', async () => {
    const one = JSON.stringify([{ role: 'user', content: 'One', date: '2024-03-05' }]);
    const [two, three] = ['A note: nothing.', JSON.stringify([{ role: 'user', content: 'Three', date: '2024-03-06' }])];
    const borders = [one.length + 1, one.length + two.length + 2];
    const { text, memories } = await extractDocument({
      ...jsonSource([one, two, three].join('\n')),
      kind: 'text',
      borders,
    });
    expect(memories.map(({ start, end, speaker, location }) => [text.slice(start, end), speaker, location])).toEqual([
      ['[5 March 2024] user: One', 'user', { date: '2024-03-05' }],
      ['A note: nothing.', null, undefined],
      ['[6 March 2024] user: Three', 'user', { date: '2024-03-06' }],
    ]);
  });

  test('a message of very many parts is read', async () => {
    const many = Array.from({ length: 200_000 }, () => 'a');
    const messages = [
      { role: 'user', content: [many] },
      { role: 'user', content: many },
    ];
    expect(await textOf(messages)).toHaveLength(2 * 'user: '.length + 4 * 200_000 - 1);
    const contents = [{ role: 'user', parts: many.map((text) => ({ text })) }];
    expect(await textOf({ contents })).toHaveLength('user: '.length + 2 * 200_000 - 1);
  });

  test('lists that are nested deeply end', async () => {
    const deep = `${'['.repeat(3_000)}"x"${']'.repeat(3_000)}`;
    expect(
      (await extract(jsonSource(`[{"role": "user", "content": "Hi"}, {"role": "user", "content": ${deep}}]`))).text,
    ).toBe('user: Hi');
  });
});
