import type { Readable } from 'node:stream';

const MOST_BYTES = 64 * 1024 * 1024;
const MOST_MILLISECONDS = 10_000;

/**
 * Reads on for a while and throws it away. A client that is cut off in the middle of sending never reads the answer, so
 * the answer "too large" has to wait for the end of what it says no to; within bounds, or it could be kept waiting.
 */
export function discard(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    let left = MOST_BYTES;
    const done = (): void => {
      clearTimeout(timer);
      stream.off('data', onData).off('end', done).off('error', done).off('close', done);
      // Without a listener an aborted request would throw.
      stream.on('error', () => {});
      resolve();
    };
    const onData = (chunk: Buffer): void => {
      left -= chunk.length;
      if (left <= 0) done();
    };
    const timer = setTimeout(done, MOST_MILLISECONDS).unref();
    if (stream.readableEnded || stream.destroyed) {
      done();
      return;
    }
    stream.on('data', onData).on('end', done).on('error', done).on('close', done);
    stream.resume();
  });
}
