import { createParser } from 'eventsource-parser';
import { Answered } from './answer.ts';
import type { AnswerReader } from './format.ts';

/** Of an answer as JSON, in bytes, and of one event of a stream, in characters. What is longer passes unread. */
export const MAX_JSON = 8 * 1024 * 1024;

/** Adds what a value says to the answer: a whole answer, or an event of a stream. */
type Collect = (value: unknown, answer: Answered) => void;

export const answerReader = (contentType: string | undefined, collect: Collect): AnswerReader =>
  /^\s*text\/event-stream\b/i.test(contentType ?? '') ? readEvents(collect) : readJson(collect);

function readEvents(collect: Collect): AnswerReader {
  const answer = new Answered();
  const decoder = new TextDecoder();
  let isTooLong = false;
  const parser = createParser({
    maxBufferSize: MAX_JSON,
    onEvent: ({ data }) => collect(parsed(data), answer),
    onError: ({ type }) => {
      isTooLong ||= type === 'max-buffer-size-exceeded';
    },
  });
  const feed = (text: string): void => {
    if (!isTooLong) parser.feed(text);
  };
  return {
    push: (chunk) => feed(decoder.decode(chunk, { stream: true })),
    end: () => {
      // Some hosts leave out the empty line after the last event.
      feed(`${decoder.decode()}\n\n`);
      return answer.end();
    },
  };
}

function readJson(collect: Collect): AnswerReader {
  const answer = new Answered();
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  return {
    push: (chunk) => {
      bytes += chunk.length;
      if (bytes <= MAX_JSON) chunks.push(chunk);
      else chunks = [];
    },
    end: () => {
      const value = parsed(Buffer.concat(chunks).toString());
      // Gemini streams a list of pieces to who does not ask for events.
      for (const piece of Array.isArray(value) ? value : [value]) collect(piece, answer);
      return answer.end();
    },
  };
}

/** Returns undefined for what is not JSON, such as `[DONE]`. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
