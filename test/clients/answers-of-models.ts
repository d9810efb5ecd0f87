import type { ServerResponse } from 'node:http';
import type { SeenCall } from '../../apps/server/src/http/testing/loopback-provider.ts';

/** Answers of the four APIs of language models, as small as their clients accept. */

/** A text, or a call of a tool, which only the chat completions of OpenAI have here. */
export type Said = string | { readonly tool: string; readonly input: object };

const MODEL = 'model-1';

const event = (data: object, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

/** Clients tell calls of tools, and the answers that have them, apart by their ids. */
let toolCalls = 0;

function chat(said: Said, isStream: boolean): string {
  if (typeof said !== 'string') toolCalls += 1;
  const head = { id: typeof said === 'string' ? 'c1' : `c1-${toolCalls}`, created: 1, model: MODEL };
  const usage = {
    prompt_tokens: 20,
    completion_tokens: 3,
    total_tokens: 23,
    prompt_tokens_details: { cached_tokens: 16 },
  };
  const content = typeof said === 'string' ? { content: said } : { content: null, tool_calls: [toolCall(said)] };
  const ending = typeof said === 'string' ? 'stop' : 'tool_calls';
  if (!isStream) {
    const choices = [{ index: 0, message: { role: 'assistant', ...content }, finish_reason: ending, logprobs: null }];
    return JSON.stringify({ ...head, object: 'chat.completion', choices, usage });
  }
  const chunk = (delta: object, finish_reason: string | null = null) =>
    event({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] });
  const deltas = typeof said === 'string' ? said.split(/(?<= )/).map((word) => ({ content: word })) : [content];
  const chunks = deltas.map((delta) => chunk(delta));
  const first = chunk({ role: 'assistant', content: '' });
  return [first, ...chunks, chunk({}, ending), 'data: [DONE]\n\n'].join('');
}

function toolCall({ tool, input }: Exclude<Said, string>): object {
  const named = { name: tool, arguments: JSON.stringify(input) };
  return { index: 0, id: `call_${toolCalls}`, type: 'function', function: named };
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

/** Returns the bytes with which the provider of a path says something. */
export function answerBytes({ url, body }: Pick<SeenCall, 'url' | 'body'>, said: Said) {
  const isStream = url.includes(':stream') || JSON.parse(body.toString()).stream === true;
  const type = isStream ? 'text/event-stream' : 'application/json';
  if (/\/chat\/completions$/.test(url)) return { bytes: Buffer.from(chat(said, isStream)), type };
  if (typeof said !== 'string') throw new Error(`No call of a tool in the format of ${url}`);
  const textOf = /\/messages$/.test(url) ? messages : /\/responses$/.test(url) ? responses : gemini;
  return { bytes: Buffer.from(textOf(said, isStream)), type };
}

export function sayTo(call: SeenCall, response: ServerResponse, said: Said): void {
  const { bytes, type } = answerBytes(call, said);
  response.writeHead(200, { 'content-type': type }).end(bytes);
}
