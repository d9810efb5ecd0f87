import type { Readable } from 'node:stream';

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_MILLISECONDS = 10_000;

/**
 * Reads and discards the rest of a body, up to limits of size and time. A client whose connection is closed while it
 * sends does not read the answer.
 */
export function discard(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    let left = MAX_BYTES;
    const done = (): void => {
      clearTimeout(timer);
      stream.off('data', onData).off('end', done).off('error', done).off('close', done);
      // Without a listener, an aborted request throws.
      stream.on('error', () => {});
      resolve();
    };
    const onData = (chunk: Buffer): void => {
      left -= chunk.length;
      if (left <= 0) done();
    };
    const timer = setTimeout(done, MAX_MILLISECONDS).unref();
    if (stream.readableEnded || stream.destroyed) {
      done();
      return;
    }
    stream.on('data', onData).on('end', done).on('error', done).on('close', done);
    stream.resume();
  });
}
