import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type ApiError, invalid, payloadTooLarge } from '../errors/api-error.ts';
import { discard } from './discard.ts';

type Done = (error: Error | null, body?: unknown) => void;

const JSON_TYPES = /^(application\/([\w.-]+\+)?json|text\/plain)$/;

/**
 * Reads bodies as JSON, and an empty body as `{}`. A missing content type and `text/plain`, which `fetch` sends with a
 * string, count as JSON; any other content type is refused.
 */
export function acceptJsonBodies(instance: FastifyInstance, maxBytes: number): void {
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser(['application/json', '*'], (request, payload, done: Done) => {
    readText(payload, maxBytes, (error, text) => {
      if (error !== null) done(error);
      else parse(request, text, done);
    });
  });
}

function parse(request: FastifyRequest, text: string, done: Done): void {
  if (text === '') {
    done(null, {});
    return;
  }
  const type = request.mediaType;
  if (type !== undefined && !JSON_TYPES.test(type)) {
    done(invalid('Content-Type', `Content-Type must be application/json, not ${type}`));
    return;
  }
  let body: unknown;
  try {
    body = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    done(invalid('body', 'The body is not valid JSON'));
    return;
  }
  done(null, body);
}

const tooLarge = (maxBytes: number): ApiError => payloadTooLarge(null, `The body is larger than ${maxBytes} bytes`);

function readText(payload: IncomingMessage, maxBytes: number, done: (error: Error | null, text: string) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;

  const settle = (error: Error | null, text = ''): void => {
    payload.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
    done(error, text);
  };
  const onEnd = (): void => {
    const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length);
    if (isUtf8(bytes)) settle(null, bytes.toString('utf8'));
    else settle(invalid('body', 'The body is not valid UTF-8'));
  };
  const onBroken = (): void => settle(invalid('body', 'The request ended before its body was complete'));
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    if (length <= maxBytes) {
      chunks.push(chunk);
      return;
    }
    payload.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
    void discard(payload).then(() => done(tooLarge(maxBytes), ''));
  };

  payload.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
}
