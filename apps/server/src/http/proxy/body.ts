import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { invalid } from '#platform/input';
import { type ApiError, payloadTooLarge } from '../errors/api-error.ts';

const tooLarge = (limit: number): ApiError =>
  payloadTooLarge('body', `The body is larger than ${Math.floor(limit / (1024 * 1024))} MiB`);

/** @throws ApiError 413 if a body declares more than so many bytes */
function checkLength({ headers }: IncomingMessage, limit: number): void {
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
}

/** Reads a whole body. @throws ApiError 413 if it is larger; InputError if it ends early */
export async function wholeBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  checkLength(request, limit);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    // The connection stays, so that a refusal can be sent.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > limit) throw tooLarge(limit);
      chunks.push(chunk);
    }
  } catch (error) {
    throw request.errored === null ? error : invalid('body', 'The request ended before its body was complete');
  }
  return Buffer.concat(chunks, length);
}

/** Returns the body as a stream, which fails when it exceeds the limit. Null: the request has none. @throws ApiError 413 */
export function passingBody(request: IncomingMessage, limit: number): Readable | null {
  const { headers } = request;
  if (Number(headers['content-length'] ?? 0) === 0 && headers['transfer-encoding'] === undefined) return null;
  checkLength(request, limit);
  let length = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      length += chunk.length;
      if (length > limit) done(tooLarge(limit));
      else done(null, chunk);
    },
  });
  request.once('error', (error) => counted.destroy(error));
  return request.pipe(counted);
}
