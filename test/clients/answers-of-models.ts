import type { ServerResponse } from 'node:http';
import type { SeenCall } from '../../apps/server/src/http/testing/loopback-provider.ts';

/** Answers of the four APIs of language models, as small as their clients accept. */

const MODEL = 'model-1';

const event = (data: object, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

function chat(text: string, isStream: boolean): string {
  const head = { id: 'c1', created: 1, model: MODEL };
  const usage = {
    prompt_tokens: 20,
    completion_tokens: 3,
    total_tokens: 23,
    prompt_tokens_details: { cached_tokens: 16 },
  };
  if (!isStream) {
    const message = { role: 'assistant', content: text };
    const choices = [{ index: 0, message, finish_reason: 'stop', logprobs: null }];
    return JSON.stringify({ ...head, object: 'chat.completion', choices, usage });
  }
  const chunk = (delta: object, finish_reason: string | null = null) =>
    event({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] });
  const words = text.split(/(?<= )/).map((content) => chunk({ content }));
  return [chunk({ role: 'assistant', content: '' }), ...words, chunk({}, 'stop'), 'data: [DONE]\n\n'].join('');
}

function messages(text: string, isStream: boolean): string {
  const usage = { input_tokens: 20, output_tokens: 3, cache_read_input_tokens: 16, cache_creation_input_tokens: 0 };
  const head = { id: 'm1', type: 'message', role: 'assistant', model: MODEL, stop_sequence: null };
  if (!isStream) return JSON.stringify({ ...head, content: [{ type: 'text', text }], stop_reason: 'end_turn', usage });
  const parts = [
    { type: 'message_start', message: { ...head, content: [], stop_reason: null, usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...text.split(/(?<= )/).map((word) => ({
      ...{ type: 'content_block_delta', index: 0 },
      delta: { type: 'text_delta', text: word },
    })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 3 } },
    { type: 'message_stop' },
  ];
  return parts.map((part) => event(part, part.type)).join('');
}

function responses(text: string, isStream: boolean): string {
  const content = [{ type: 'output_text', text, annotations: [] }];
  const item = { id: 'i1', type: 'message', role: 'assistant', status: 'completed', content };
  const usage = { input_tokens: 20, output_tokens: 3, total_tokens: 23, input_tokens_details: { cached_tokens: 16 } };
  const head = { id: 'r1', object: 'response', created_at: 1, model: MODEL, error: null };
  const whole = { ...head, status: 'completed', output: [item], usage };
  if (!isStream) return JSON.stringify(whole);
  const place = { item_id: 'i1', output_index: 0, content_index: 0 };
  const parts = [
    { type: 'response.created', response: { ...head, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...place, part: { type: 'output_text', text: '', annotations: [] } },
    ...text.split(/(?<= )/).map((delta) => ({ type: 'response.output_text.delta', ...place, delta })),
    { type: 'response.output_text.done', ...place, text },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: whole },
  ];
  return parts.map((part, at) => event({ ...part, sequence_number: at }, part.type)).join('');
}

function gemini(text: string, isStream: boolean): string {
  const usageMetadata = { promptTokenCount: 20, candidatesTokenCount: 3, cachedContentTokenCount: 16 };
  const part = (said: string, finishReason?: string) => ({
    candidates: [
      { index: 0, content: { role: 'model', parts: [{ text: said }] }, ...(finishReason && { finishReason }) },
    ],
    ...(finishReason && { usageMetadata }),
  });
  if (!isStream) return JSON.stringify(part(text, 'STOP'));
  const words = text.split(/(?<= )/);
  return words.map((word, at) => event(part(word, at === words.length - 1 ? 'STOP' : undefined))).join('');
}

/** Returns the bytes with which the provider of a path says a text. */
export function answerBytes({ url, body }: Pick<SeenCall, 'url' | 'body'>, text: string) {
  const isStream = url.includes(':stream') || JSON.parse(body.toString()).stream === true;
  const made = /\/chat\/completions$/.test(url)
    ? chat(text, isStream)
    : /\/messages$/.test(url)
      ? messages(text, isStream)
      : /\/responses$/.test(url)
        ? responses(text, isStream)
        : gemini(text, isStream);
  return { bytes: Buffer.from(made), type: isStream ? 'text/event-stream' : 'application/json' };
}

export function sayTo(call: SeenCall, response: ServerResponse, text: string): void {
  const { bytes, type } = answerBytes(call, text);
  response.writeHead(200, { 'content-type': type }).end(bytes);
}
