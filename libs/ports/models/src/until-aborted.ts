/** Resolves when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('closed');
    signal.addEventListener('abort', () => resolve('closed'), { once: true });
  });
}
