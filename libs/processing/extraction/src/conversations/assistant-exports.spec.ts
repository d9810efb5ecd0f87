import { textOf } from './testing/text-of.ts';

describe('exports of assistants', () => {
  const node = (id: string, parent: string | null, message: object | null) => ({ id, parent, message, children: [] });
  const said = (role: string, content: object, rest: object = {}) => ({
    author: { role },
    content,
    create_time: 1709627400,
    ...rest,
  });
  const text = (...parts: (string | object)[]) => ({ content_type: 'text', parts });

  test('ChatGPT: the branch that was shown last, without what is hidden', async () => {
    const nodes = [
      node('root', null, null),
      node(
        'hidden',
        'root',
        said('system', text('Secret rules'), { metadata: { is_visually_hidden_from_conversation: true } }),
      ),
      node('empty', 'hidden', said('system', text(''))),
      node(
        'context',
        'empty',
        said(
          'user',
          { content_type: 'user_editable_context', user_profile: 'I sail.' },
          { metadata: { is_visually_hidden_from_conversation: true } },
        ),
      ),
      node(
        'q',
        'context',
        said('user', {
          content_type: 'multimodal_text',
          parts: [{ content_type: 'image_asset_pointer', asset_pointer: 'file-service://x' }, 'What is this?'],
        }),
      ),
      node('old', 'q', said('assistant', text('Nothing.'))),
      node('think', 'q', said('assistant', { content_type: 'thoughts', thoughts: [{ content: 'hm' }] })),
      node(
        'code',
        'think',
        said('assistant', { content_type: 'code', language: 'python', text: '70+5' }, { recipient: 'python' }),
      ),
      node('run', 'code', said('tool', { content_type: 'execution_output', text: '75' })),
      node('quote', 'run', said('tool', { content_type: 'tether_quote', title: 'Piers', text: 'Pier two is long.' })),
      node(
        'a',
        'quote',
        said(
          'assistant',
          text('A crane\ue200cite\ue202turn0search1\ue201 in \ue200entity\ue202["city","Oslo","x"]\ue201【4†source】.'),
        ),
      ),
    ];
    const mapping = Object.fromEntries(nodes.map((one) => [one.id, one]));
    const turns = [
      ...[
        'user: [image]\nWhat is this?',
        'assistant: [calls python 70+5]',
        'tool: 75',
        'tool: Piers\nPier two is long.',
      ],
      'assistant: A crane in Oslo.',
    ].map((turn) => `[5 March 2024, 08:30] ${turn}`);
    const conversation = { title: 'Crane', create_time: 1709627400, current_node: 'a', mapping };
    expect(await textOf([conversation])).toBe(`# Crane (5 March 2024)\n\n${turns.join('\n')}`);
    const other = { ...conversation, title: 'Again', current_node: 'old', create_time: null };
    expect(await textOf([conversation, { title: 'Broken', mapping: 7 }, other])).toBe(
      `# Crane (5 March 2024)\n\n${turns.join('\n')}\n\n# Again\n\n${turns[0]}\n[5 March 2024, 08:30] assistant: Nothing.`,
    );
  });

  test('ChatGPT: a tree that goes round in a circle ends', async () => {
    const mapping = { a: node('a', 'b', said('user', text('One'))), b: node('b', 'a', said('assistant', text('Two'))) };
    expect(await textOf({ title: null, mapping, current_node: 'b' })).toBe(
      '[5 March 2024, 08:30] user: One\n[5 March 2024, 08:30] assistant: Two',
    );
  });

  test('Claude', async () => {
    const at = '2024-03-05T09:30:00.000000Z';
    const chat = {
      ...{ uuid: '1', name: 'Piers', created_at: at, account: { uuid: '2' } },
      chat_messages: [
        {
          sender: 'human',
          text: 'Old form',
          created_at: at,
          content: [],
          attachments: [{ file_name: 'log.txt', extracted_content: 'Day one' }],
          files: [{ file_name: 'map.png' }],
        },
        {
          sender: 'assistant',
          text: 'Not shown here',
          created_at: at,
          content: [
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', name: 'find', input: { q: 'x' } },
            { type: 'tool_result', name: 'find', content: [{ type: 'text', text: 'Pier two' }] },
            { type: 'text', text: 'Pier two.' },
          ],
        },
        { sender: 'human', text: '', content: [] },
        null,
      ],
    };
    expect(await textOf([chat, { ...chat, name: '', chat_messages: [{ sender: 'human', text: 'Hi' }] }])).toBe(
      [
        '# Piers (5 March 2024)\n',
        '[5 March 2024, 09:30] human: Old form\n[file log.txt: Day one]\n[file map.png]',
        '[5 March 2024, 09:30] assistant: I look.\n[calls find {"q":"x"}]',
        '[5 March 2024, 09:30] tool: Pier two',
        '[5 March 2024, 09:30] assistant: Pier two.',
        '\n# Conversation 2 (5 March 2024)\n',
        'human: Hi',
      ].join('\n'),
    );
  });
});
