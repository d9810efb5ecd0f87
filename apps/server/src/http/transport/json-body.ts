import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalid, type KnownFields } from '#platform/input';
import { jsonSize } from '#platform/kernel';
import type { HttpOptions } from '../options.ts';
import { spellingFor } from '../validation/misspelt-fields.ts';
import { discard } from './discard.ts';
import { bodyRefusalError } from './large-bodies/body-refusal-error.ts';
import { type HeldBody, LargeBodies } from './large-bodies/large-bodies.ts';
import { parseJson } from './large-bodies/read-json.ts';
import { isOverNats } from './over-nats.ts';

type DoneCallback = (error: Error | null, body?: unknown) => void;

const JSON_TYPES = /^(application\/([\w.-]+\+)?json|text\/plain)$/;

/** Longer bodies, and those with more values, are parsed in another thread. */
const SMALL_BYTES = 1_048_576;
const SMALL_VALUES = 10_000;
/** A text this short exceeds no limit. */
const SURELY_SMALL_BYTES = 100;

const NOTHING: KnownFields = {};

/**
 * Reads bodies as JSON, and an empty body as `{}`. A missing content type and `text/plain`, which `fetch` sends with a
 * string, count as JSON; any other content type is refused.
 */
export function acceptJsonBodies(instance: FastifyInstance, options: HttpOptions): void {
  const large = new LargeBodies(options);
  const releases = new WeakMap<IncomingMessage, () => void>();
  instance.addHook('onClose', () => large.close());
  instance.addHook('onResponse', ({ raw }, _reply, done) => {
    releases.get(raw)?.();
    done();
  });

  /** Keeps the share of memory that a body has until its answer is sent or its connection ends. */
  function hold({ raw, socket }: FastifyRequest, release: () => void): void {
    const end = (): void => {
      socket.off('close', end);
      releases.delete(raw);
      release();
    };
    if (socket.destroyed) release();
    else {
      releases.set(raw, end);
      socket.once('close', end);
    }
  }

  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser(['application/json', '*'], (request, payload, done: DoneCallback) => {
    const known = request.routeOptions.config.body ?? NOTHING;
    const expected = { known, spelling: isOverNats(request) ? null : spellingFor(known) };
    const answer = (reading: Promise<HeldBody>): void => {
      reading.then(({ value, release }) => {
        hold(request, release);
        done(null, value);
      }, done);
    };
    receive(payload, Math.min(SMALL_BYTES, options.maxBodyBytes), {
      failed: done,
      isLarge(begun) {
        const refusal = wrongType(request);
        if (refusal === null) answer(large.receive(payload, begun, expected));
        else void discard(payload).then(() => done(refusal));
      },
      isSmall(bytes) {
        const refusal = bytes.length > 0 ? wrongType(request) : null;
        if (refusal !== null) return done(refusal);
        if (bytes.length === 0) return done(null, {});
        const { exceeds, values } = bytes.length > SURELY_SMALL_BYTES ? jsonSize(bytes) : SURELY_SMALL;
        if (exceeds !== null) return done(bodyRefusalError(exceeds));
        if (values > SMALL_VALUES) return answer(large.read(bytes, bytes.length, expected));
        const read = parseJson(bytes, expected.spelling);
        if (read.refusal === null) done(null, read.value);
        else done(bodyRefusalError(read.refusal));
      },
    });
  });
}

const SURELY_SMALL = { exceeds: null, values: 0 };

/** Returns a refusal unless the body is JSON. */
export function wrongType({ mediaType }: FastifyRequest): Error | null {
  if (mediaType === undefined || JSON_TYPES.test(mediaType)) return null;
  return invalid('Content-Type', `Content-Type must be application/json, not ${mediaType}`);
}

interface Receiver {
  readonly failed: (error: Error) => void;
  readonly isSmall: (bytes: Buffer) => void;
  /** The rest of the body has not been read. */
  readonly isLarge: (begun: readonly Buffer[]) => void;
}

function receive(payload: IncomingMessage, smallBytes: number, { failed, isSmall, isLarge }: Receiver): void {
  const chunks: Buffer[] = [];
  let length = 0;

  const settle = (): void => {
    payload.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
  };
  const onEnd = (): void => {
    settle();
    isSmall(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length));
  };
  const onBroken = (): void => {
    settle();
    failed(invalid('body', 'The request ended before its body was complete'));
  };
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    chunks.push(chunk);
    if (length <= smallBytes) return;
    settle();
    payload.pause();
    isLarge(chunks);
  };

  payload.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
}
