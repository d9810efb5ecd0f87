import { countCharacters, rewriteText, WIRES, type Wire } from './conversations.fixture.ts';
import { CHAT_FORMATS, type ChatFormat, memoryBlock } from './index.ts';

const block = memoryBlock('Likes tea.');
const written = JSON.stringify(block);
const inner = written.slice(1, -1);
const wire = (name: ChatFormat['name']): Wire => WIRES.find(({ format }) => format.name === name) as Wire;
const rewritten = async (name: ChatFormat['name'], source: string, change = {}) =>
  (await rewriteText(wire(name), source, { block, ...change })).text;
const user = '{"role":"user","content":"Hi"}';

test.each([
  ['POST', '/v1/chat/completions', 'openai-chat'],
  ['POST', '/openai/deployments/gpt/chat/completions', 'openai-chat'],
  ['POST', '/v1/messages', 'anthropic-messages'],
  ['POST', '/v1/responses', 'openai-responses'],
  ['POST', '/v1beta/models/gemini-3-pro:generateContent', 'gemini'],
  ['POST', '/v1beta/models/gemini-3-pro:streamGenerateContent', 'gemini'],
  ['GET', '/v1/responses', undefined],
  ['GET', '/v1/models', undefined],
  ['POST', '/v1/embeddings', undefined],
  ['POST', '/v1/messages/count_tokens', undefined],
  ['POST', '/v1/threads/thread_1/messages', undefined],
  ['POST', '/v1/responses/resp_1/cancel', undefined],
  ['POST', '/v1beta/models/gemini-3-pro:countTokens', undefined],
])('%s %s is a call of %s', (method, path, name) => {
  expect(CHAT_FORMATS.filter((format) => format.takes(method, path)).map((format) => format.name)).toEqual(
    name === undefined ? [] : [name],
  );
});

test('what a call says of itself', () => {
  const read = (name: ChatFormat['name'], body: object) => {
    const { format, path } = wire(name);
    return format.read(Buffer.from(JSON.stringify(body)), path);
  };
  const messages = [{ role: 'user', content: 'Hi' }];
  expect(read('openai-chat', { model: 'gpt-5', user: 'ann', stream: true, messages })).toMatchObject({
    ...{ model: 'gpt-5', user: 'ann', stream: true },
  });
  const claude = read('anthropic-messages', { model: 'claude', metadata: { user_id: 'ann' }, messages });
  expect(claude).toMatchObject({ model: 'claude', user: undefined, stream: false });
  expect(read('openai-responses', { model: 'gpt-5', user: 'ann', input: 'Hi' })).toMatchObject({ user: 'ann' });
  const { format } = wire('gemini');
  const body = Buffer.from(JSON.stringify({ contents: [{ parts: [{ text: 'Hi' }] }] }));
  expect(format.read(body, '/v1beta/models/gemini-3-pro:streamGenerateContent')).toMatchObject({
    ...{ model: 'gemini-3-pro', stream: true, turns: [{ role: 'user', text: 'Hi' }] },
  });
});

describe('openai-chat', () => {
  test('a system message is made if there is none, in the role that the request uses', async () => {
    expect(await rewritten('openai-chat', `{"messages": [ ${user}]}`)).toBe(
      `{"messages": [ {"role":"system","content":${written}},${user}]}`,
    );
    const developer = '{"role":"developer","content":"Be short."}';
    expect(await rewritten('openai-chat', `{"messages":[${user},${developer}]}`)).toBe(
      `{"messages":[{"role":"developer","content":${written}},${user},${developer}]}`,
    );
  });

  test('the last of the leading system messages ends with the block', async () => {
    const lead = '{"role":"system","content":"A"},{"content": "B" ,"role":"developer"}';
    expect(await rewritten('openai-chat', `{"messages":[${lead},${user}]}`)).toBe(
      `{"messages":[${lead.replace('"B"', `"B\\n\\n${inner}"`)},${user}]}`,
    );
  });

  test('after parts of a system message comes another part', async () => {
    const parts = '{"type":"text","text":"A","cache_control":{"type":"ephemeral"}}';
    expect(await rewritten('openai-chat', `{"messages":[{"role":"system","content":[${parts} ]},${user}]}`)).toBe(
      `{"messages":[{"role":"system","content":[${parts},{"type":"text","text":${written}} ]},${user}]}`,
    );
  });

  test('system messages among the turns never leave', async () => {
    const late = '{"role":"system","content":"B"}';
    const source = `{"messages":[${user},{"role":"assistant","content":"Yes?"},${late},{"role":"user","content":"Go on"}]}`;
    expect(await rewritten('openai-chat', source, { block: undefined, maxTokens: 1 })).toBe(
      `{"messages":[${late},{"role":"user","content":"Go on"}]}`,
    );
  });

  test('calls of the former form leave with their results', async () => {
    const call = '{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}';
    const result = '{"role":"function","name":"f","content":"1"}';
    const source = `{"messages":[${user},${call},${result},{"role":"user","content":"Go on"}]}`;
    expect(await rewritten('openai-chat', source, { block: undefined, maxTokens: 1 })).toBe(
      '{"messages":[{"role":"user","content":"Go on"}]}',
    );
    const early = `{"messages":[${user},${call},{"role":"user","content":"Go on"},${result}]}`;
    expect(await rewritten('openai-chat', early, { block: undefined, maxTokens: 1 })).toBe(early);
  });
});

describe('anthropic-messages', () => {
  test('blocks with four marks for the cache keep their bytes, and no fifth mark is made', async () => {
    const marked = (text: string) => `{"type":"text","text":"${text}", "cache_control":{"type":"ephemeral"}}`;
    const system = ['A', 'B', 'C', 'D'].map(marked).join(',');
    const after = await rewritten('anthropic-messages', `{"system":[${system}],"messages":[${user}]}`);
    expect(after).toBe(`{"system":[${system},{"type":"text","text":${written}}],"messages":[${user}]}`);
    expect(after.match(/cache_control/g)).toHaveLength(4);
  });

  test.each([
    ['', `"system":${written},`],
    ['"system":null,', `"system":${written},`],
    ['"system":"",', `"system":${written},`],
    ['"system":[],', `"system":[{"type":"text","text":${written}}],`],
    ['"system":"\\u0041",', `"system":"\\u0041\\n\\n${inner}",`],
  ])('%s becomes a system text with the block', async (before, after) => {
    expect(await rewritten('anthropic-messages', `{${before}"messages":[${user}]}`)).toBe(
      `{${after}"messages":[${user}]}`,
    );
  });

  test('a system text of another type stays', async () => {
    const source = `{"system":7,"messages":[${user}]}`;
    expect(await rewritten('anthropic-messages', source)).toBe(source);
  });

  test('of a field that is there twice, the last counts', async () => {
    const twice = `{"system":"A","messages":[],"system":"B","messages":[${user}]}`;
    expect(await rewritten('anthropic-messages', twice)).toBe(twice.replace('"B"', `"B\\n\\n${inner}"`));
  });

  test('a part that is a block alone leaves when it comes back', async () => {
    const former = JSON.stringify(memoryBlock('Likes coffee.'));
    const own = '{"type":"text", "text":"A"}';
    const source = `{"system":[${own},{"type":"text","text":${former}}],"messages":[${user}]}`;
    expect(await rewritten('anthropic-messages', source)).toBe(
      `{"system":[${own},{"type":"text","text":${written}}],"messages":[${user}]}`,
    );
  });

  test('a message with a result and words does not begin what stays', async () => {
    const messages = [
      { role: 'user', content: 'Old' },
      { role: 'assistant', content: 'Yes?' },
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't' },
          { type: 'text', text: 'And now?' },
        ],
      },
    ];
    const after = await rewritten('anthropic-messages', JSON.stringify({ messages }), {
      block: undefined,
      maxTokens: 1,
    });
    expect(JSON.parse(after).messages).toEqual(messages.slice(2));
  });
});

describe('openai-responses', () => {
  test('an input that is a text becomes a list only if history comes before it', async () => {
    const source = '{"input":"\\u0048i","instructions":null}';
    expect(await rewritten('openai-responses', source)).toBe(`{"input":"\\u0048i","instructions":${written}}`);
    const history = [
      { role: 'user', text: 'Old' },
      { role: 'assistant', text: 'Yes?' },
    ];
    expect(await rewritten('openai-responses', source, { block: undefined, history })).toBe(
      '{"input":[{"role":"user","content":"Old"},{"role":"assistant","content":"Yes?"},{"role":"user","content":"\\u0048i"}],"instructions":null}',
    );
  });

  test.each(['"previous_response_id":"resp_1"', '"conversation":{"id":"conv_1"}'])(
    'with %s, the provider has the turns',
    async (field) => {
      const output = '{"type":"function_call_output","call_id":"c","output":"1"}';
      const source = `{${field},"input":[${output},${user}]}`;
      const history = [{ role: 'user', text: 'Old' }];
      const after = await rewriteText(wire('openai-responses'), source, {
        block,
        history: history as never,
        maxTokens: 1,
      });
      expect(after.text).toBe(`{"instructions":${written},${source.slice(1)}`);
      expect(after.dropped).toBe(0);
    },
  );
});

describe('gemini', () => {
  test('either spelling of the system text ends with the block', async () => {
    const contents = '"contents":[{"role":"user","parts":[{"text":"Hi"}]}]';
    expect(await rewritten('gemini', `{${contents}}`)).toBe(
      `{"systemInstruction":{"parts":[{"text":${written}}]},${contents}}`,
    );
    expect(await rewritten('gemini', `{"system_instruction":{"parts":[{"text":"A"}]},${contents}}`)).toBe(
      `{"system_instruction":{"parts":[{"text":"A"},{"text":${written}}]},${contents}}`,
    );
    const cached = `{"cachedContent":"cachedContents/1",${contents}}`;
    expect(await rewritten('gemini', cached)).toBe(cached);
  });

  test('thoughts are in no turn', () => {
    const { format, path } = wire('gemini');
    const contents = [{ role: 'model', parts: [{ text: 'Hmm', thought: true }, { text: 'Yes' }] }];
    expect(format.read(Buffer.from(JSON.stringify({ contents })), path)?.turns).toEqual([
      { role: 'assistant', text: 'Yes' },
    ]);
  });
});

const base64 = 'iVBO'.repeat(50_000);
const prose = 'words and words '.repeat(100);
test.each<[ChatFormat['name'], object, number]>([
  ['openai-chat', { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'high' } }, 1_000],
  ['openai-chat', { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } }, 1_000],
  ['openai-chat', { type: 'input_audio', input_audio: { data: base64, format: 'wav' } }, 1_004],
  ['anthropic-messages', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } }, 1_000],
  ['anthropic-messages', { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }, 1_000],
  ['anthropic-messages', { type: 'document', source: { type: 'text', data: prose } }, prose.length + 1],
  ['anthropic-messages', { type: 'tool_use', id: 't', name: 'f', input: { url: 'b' } }, 14],
  ['anthropic-messages', { type: 'thinking', thinking: 'Hmm', signature: base64 }, 4],
])('%s: a part is counted by what the model sees of it', async (name, part, expected) => {
  const { format, path } = wire(name);
  const body = JSON.stringify({ messages: [{ role: 'user', content: [part, { type: 'text', text: 'Hi' }] }] });
  const { tokens } = (await format.read(Buffer.from(body), path)?.rewrite({}, countCharacters)) ?? {};
  expect(tokens).toBe(expected + 'Hi'.length + 4);
});
