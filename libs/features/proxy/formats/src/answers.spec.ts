import fc from 'fast-check';
import { MAX_TEXT } from './answer.ts';
import { MAX_JSON } from './answer-reader.ts';
import { type Answer, type AnswerReader, CHAT_FORMATS, type ChatFormat, memoryBlock } from './index.ts';

const TEXT = 'Grüße, 漢字 👍🏽.';
const [HEAD, TAIL] = [TEXT.slice(0, 9), TEXT.slice(9)];

/** What each provider sends, as JSON and as events, with the usage of both. */
const ANSWERS: Record<ChatFormat['name'], { json: unknown; events: (object | string)[]; usage: Answer['usage'] }> = {
  'openai-chat': {
    json: {
      choices: [
        { index: 1, message: { role: 'assistant', content: 'Other' }, finish_reason: 'stop' },
        { index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 20, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 16 } },
    },
    events: [
      { choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] },
      { choices: [{ index: 1, delta: { content: 'Other' } }] },
      { choices: [{ index: 0, delta: { reasoning_content: 'Hmm' } }] },
      { choices: [{ index: 0, delta: { content: HEAD } }] },
      { choices: [{ index: 0, delta: { content: TAIL }, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 20, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 16 } } },
      '[DONE]',
    ],
    usage: { input: 20, cached: 16, output: 7 },
  },
  'anthropic-messages': {
    json: {
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hmm', signature: 'c2ln' },
        { type: 'text', text: HEAD },
        { type: 'text', text: TAIL },
        { type: 'tool_use', id: 't', name: 'f', input: {} },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 20, cache_read_input_tokens: 16, cache_creation_input_tokens: 3, output_tokens: 7 },
    },
    events: [
      {
        type: 'message_start',
        message: {
          ...{ type: 'message', role: 'assistant', content: [], stop_reason: null },
          usage: { input_tokens: 20, cache_read_input_tokens: 16, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hmm' } },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'ping' },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: HEAD } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: TAIL } },
      { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 't', name: 'f', input: {} } },
      { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{}' } },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } },
      { type: 'message_stop' },
    ],
    usage: { input: 20, cached: 16, output: 7 },
  },
  'openai-responses': {
    json: {
      object: 'response',
      status: 'completed',
      output: [
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hmm' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: TEXT }] },
      ],
      usage: { input_tokens: 20, input_tokens_details: { cached_tokens: 16 }, output_tokens: 7 },
    },
    events: [
      { type: 'response.created', response: { object: 'response', status: 'in_progress', output: [] } },
      { type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'Hmm' },
      { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: HEAD },
      { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: TAIL },
      { type: 'response.output_text.done', output_index: 1, text: TEXT },
      {
        type: 'response.completed',
        response: {
          ...{ object: 'response', status: 'completed' },
          output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: TEXT }] }],
          usage: { input_tokens: 20, input_tokens_details: { cached_tokens: 16 }, output_tokens: 7 },
        },
      },
    ],
    usage: { input: 20, cached: 16, output: 7 },
  },
  gemini: {
    json: {
      candidates: [
        { content: { role: 'model', parts: [{ text: 'Hmm', thought: true }, { text: TEXT }] }, finishReason: 'STOP' },
      ],
      usageMetadata: {
        promptTokenCount: 20,
        cachedContentTokenCount: 16,
        candidatesTokenCount: 5,
        thoughtsTokenCount: 2,
      },
    },
    events: [
      { candidates: [{ content: { parts: [{ text: HEAD }], role: 'model' }, index: 0 }] },
      {
        candidates: [{ content: { parts: [{ text: TAIL }], role: 'model' }, index: 0, finishReason: 'STOP' }],
        usageMetadata: {
          ...{ promptTokenCount: 20, cachedContentTokenCount: 16 },
          ...{ candidatesTokenCount: 5, thoughtsTokenCount: 2 },
        },
      },
    ],
    usage: { input: 20, cached: 16, output: 7 },
  },
};

const EVENTS = 'text/event-stream; charset=utf-8';

/** Cuts bytes at places, which may repeat. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
}

function readAll(format: ChatFormat, contentType: string | undefined, chunks: readonly Uint8Array[]): Answer {
  const reader: AnswerReader = format.answer(contentType);
  for (const chunk of chunks) reader.push(chunk);
  return reader.end();
}

describe.each(CHAT_FORMATS.map((format) => ({ name: format.name, format })))('$name', ({ name, format }) => {
  const { json, events, usage } = ANSWERS[name];
  const answer: Answer = { turns: [{ role: 'assistant', text: TEXT }], usage, isComplete: true };
  const stream = (lineEnd: string) =>
    Buffer.from(
      events
        .map((event) => (typeof event === 'string' ? event : JSON.stringify(event)))
        .map((data) => [`event: ${name}`, ': comment', `data: ${data}`, '', ''].join(lineEnd))
        .join(''),
    );
  const places = fc.array(fc.nat(10_000), { maxLength: 40 });

  test('reads JSON that is cut anywhere', () => {
    fc.assert(
      fc.property(places, fc.constantFrom('application/json', undefined), (at, type) => {
        expect(readAll(format, type, cut(Buffer.from(JSON.stringify(json, null, 1)), at))).toEqual(answer);
      }),
    );
  });

  test('reads events that are cut anywhere, with any line end', () => {
    fc.assert(
      fc.property(places, fc.constantFrom('\n', '\r\n', '\r'), (at, lineEnd) => {
        expect(readAll(format, EVENTS, cut(stream(lineEnd), at))).toEqual(answer);
      }),
    );
  });

  test('reads events that come byte by byte, and without an end of the last one', () => {
    for (const lineEnd of ['\n', '\r\n']) {
      const bytes = stream(lineEnd);
      expect(
        readAll(
          format,
          EVENTS,
          Array.from(bytes, (byte) => Uint8Array.of(byte)),
        ),
      ).toEqual(answer);
      expect(readAll(format, EVENTS, [bytes.subarray(0, -2 * lineEnd.length)])).toEqual(answer);
    }
  });

  test('an answer that was cut has its beginning', () => {
    const bytes = stream('\n');
    const half = readAll(format, EVENTS, [bytes.subarray(0, bytes.indexOf(JSON.stringify(TAIL).slice(1, -1)))]);
    expect(half.turns).toEqual([{ role: 'assistant', text: HEAD }]);
    expect(half.isComplete).toBe(false);
  });

  test('an error has neither turn nor usage', () => {
    const error = Buffer.from('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}');
    expect(readAll(format, 'application/json', [error])).toEqual({ turns: [], usage: {}, isComplete: false });
  });

  test('a repeated block is in no turn', () => {
    const source = JSON.stringify(json).replaceAll(
      JSON.stringify(HEAD).slice(1, -1),
      (text) => text + JSON.stringify(`\n\n${memoryBlock('Likes tea.')}`).slice(1, -1),
    );
    expect(readAll(format, undefined, [Buffer.from(source)])).toEqual(answer);
  });

  test('no bytes make it throw', () => {
    const scrap = fc.oneof(
      fc.uint8Array(),
      fc.json().map((one) => Buffer.from(`data: ${one}\n\n`)),
      fc.constant(stream('\n').subarray(0, 200)),
    );
    fc.assert(
      fc.property(fc.array(scrap), fc.constantFrom(EVENTS, 'application/json', undefined, ''), (chunks, type) => {
        readAll(format, type, chunks);
      }),
    );
    const hostile = JSON.stringify(json).replace(/:(\d+|"[^"]*")/g, ':{"__proto__":null}');
    expect(readAll(format, undefined, [Buffer.from(hostile)])).toMatchObject({ turns: [] });
  });

  test('of an event or an answer without an end, no more is kept than the limit', () => {
    const endless = Buffer.from(`data: ${'x'.repeat(1024 * 1024)}`);
    for (const type of [EVENTS, 'application/json']) {
      const reader = format.answer(type);
      for (let bytes = 0; bytes <= 2 * MAX_JSON; bytes += endless.length) reader.push(endless);
      reader.push(stream('\n'));
      expect(reader.end().turns).toEqual([]);
    }
  });

  test('a text above the limit is no turn, its usage is read', () => {
    const long = 'x'.repeat(MAX_TEXT);
    const written = events.map((event) => JSON.stringify(event).replaceAll(JSON.stringify(HEAD).slice(1, -1), long));
    const bytes = Buffer.from(written.map((data) => `data: ${data}\n\n`).join(''));
    expect(readAll(format, EVENTS, [bytes])).toMatchObject({ turns: [], usage });
  });
});

test('each message of a response is a turn', () => {
  const message = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
  const response = {
    object: 'response',
    status: 'completed',
    output: [message('One'), { type: 'function_call' }, message('Two')],
  };
  const format = CHAT_FORMATS.find(({ name }) => name === 'openai-responses') as ChatFormat;
  const { turns } = readAll(format, undefined, [Buffer.from(JSON.stringify(response))]);
  expect(turns.map(({ text }) => text)).toEqual(['One', 'Two']);
});

test('Gemini streams a list to who does not ask for events', () => {
  const format = CHAT_FORMATS.find(({ name }) => name === 'gemini') as ChatFormat;
  const { events, usage } = ANSWERS.gemini;
  expect(readAll(format, 'application/json', [Buffer.from(JSON.stringify(events))])).toEqual({
    ...{ turns: [{ role: 'assistant', text: TEXT }], usage, isComplete: true },
  });
});
