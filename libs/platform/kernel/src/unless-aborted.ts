/** Settles as the work does, or rejects with the reason of the signal as soon as it aborts. */
export async function unlessAborted<T>(work: T | Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    if (signal.aborted) abort();
    return await Promise.race([promise, work]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
