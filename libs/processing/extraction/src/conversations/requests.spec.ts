import { textOf } from './testing/text-of.ts';

describe('requests to chat models', () => {
  test('OpenAI, chat: odd items cost themselves alone', async () => {
    const messages = [
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        name: 'Dana',
        content: [
          { type: 'text', text: 'And this?' },
          { type: 'image_url', image_url: { url: 'https://a.example/pier.png?key=1' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: '1', type: 'custom', custom: { name: 'find', input: 'pier' } }],
      },
      ...[null, 7, 'stray', {}, { role: 'user' }, { role: 'user', content: null }],
      { role: 'tool', tool_call_id: '1', name: 'find', content: [{ type: 'text', text: 'Pier two' }] },
      { role: 'assistant', content: '', refusal: 'I may not say.' },
      { role: 'assistant', content: null, function_call: { name: 'price', arguments: '{}' } },
      { role: 'user', content: 'Note: one line\nuser: and another', timestamp: '2024-03-05T09:30:00+01:00' },
    ];
    const expected = [
      ...[
        'developer: Be brief.',
        'user (Dana): And this?\n[image https://a.example/pier.png]',
        'assistant: [calls find pier]',
      ],
      ...['tool: Pier two', 'assistant: I may not say.', 'assistant: [calls price {}]'],
      '[5 March 2024, 09:30] user: Note: one line\nuser: and another',
    ].join('\n');
    expect(await textOf({ model: 'm', messages })).toBe(expected);
    expect(await textOf(messages)).toBe(expected);
  });

  test('OpenAI, responses', async () => {
    const input = [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Which pier?' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
          { type: 'input_file', filename: 'plan.pdf' },
        ],
      },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'thinking' }] },
      { type: 'function_call', call_id: '1', name: 'find', arguments: '{"q":"pier"}' },
      { type: 'function_call_output', call_id: '1', output: 'Pier two' },
      { type: 'function_call_output', call_id: '2', output: [{ type: 'input_text', text: 'Pier three' }] },
      { type: 'web_search_call', action: { query: 'ferry' } },
      {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'It is pier two.' },
          { type: 'refusal', refusal: 'No more.' },
        ],
      },
      { type: 'item_reference', id: '3' },
    ];
    const turns = [
      'user: Which pier?\n[image]\n[file plan.pdf]',
      'assistant: [calls find {"q":"pier"}]',
      'tool: Pier two',
      'tool: Pier three',
      'assistant: [calls web_search {"query":"ferry"}]',
      'assistant: It is pier two.\nNo more.',
    ].join('\n');
    expect(await textOf({ model: 'm', instructions: 'Be brief.', input })).toBe(`system: Be brief.\n${turns}`);
    expect(await textOf(input)).toBe(turns);
    expect(await textOf({ model: 'm', input: 'Which pier?' })).toBe('user: Which pier?');
  });

  test('Anthropic', async () => {
    const messages = [
      { role: 'user', content: 'Which pier?' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: '1', name: 'find', input: { q: 'pier' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: '1', content: [{ type: 'text', text: 'Pier two' }] },
          { type: 'text', text: 'And the price?' },
          { type: 'document', title: 'plan', source: { type: 'text', data: 'Pier plan' } },
        ],
      },
      { role: 'assistant', content: [] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: '2', content: '75' }] },
    ];
    const turns = [
      ...['user: Which pier?', 'assistant: I look.\n[calls find {"q":"pier"}]', 'tool: Pier two'],
      ...['user: And the price?\n[file plan: Pier plan]', 'tool: 75'],
    ].join('\n');
    expect(await textOf({ model: 'm', system: 'Be brief.', messages })).toBe(`system: Be brief.\n${turns}`);
    expect(await textOf({ system: [{ type: 'text', text: 'Be brief.' }], messages })).toBe(
      `system: Be brief.\n${turns}`,
    );
    expect(await textOf({ model: 'm', messages })).toBe(turns);
  });

  test('Gemini', async () => {
    const contents = [
      { role: 'user', parts: [{ text: 'Which pier?' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
      {
        role: 'model',
        parts: [{ text: 'secret', thought: true }, { functionCall: { name: 'find', args: { q: 'pier' } } }],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'find', response: { result: 'Pier two' } } }] },
      {
        role: 'model',
        parts: [
          { executableCode: { language: 'PYTHON', code: '70+5' } },
          { codeExecutionResult: { output: '75' } },
          { text: 'It is 75.' },
        ],
      },
      { parts: [{ fileData: { fileUri: 'https://a.example/plan.pdf', mimeType: 'application/pdf' } }] },
      { role: 'user', parts: 7 },
    ];
    const turns = [
      ...[
        'user: Which pier?\n[image]',
        'model: [calls find {"q":"pier"}]',
        'tool: Pier two',
        'model: [calls code 70+5]',
        'tool: 75',
      ],
      ...['model: It is 75.', 'user: [file https://a.example/plan.pdf]'],
    ].join('\n');
    expect(await textOf({ systemInstruction: { parts: [{ text: 'Be brief.' }] }, contents })).toBe(
      `system: Be brief.\n${turns}`,
    );
    expect(await textOf(contents)).toBe(turns);
    expect(await textOf({ system_instruction: 'Be brief.', contents: 'Which pier?' })).toBe(
      'system: Be brief.\nuser: Which pier?',
    );
  });
});
