/** Names of errors that the operator can fix: their message is printed without a stack. */
const EXPECTED: ReadonlySet<string> = new Set([
  'ConfigError',
  'DataFolderInUseError',
  'NewerSchemaError',
  'EventStoreTooOldError',
  'EventStoreUnreachableError',
  'ForeignStreamKeysError',
  'InvalidEventStoreUrlError',
  'NatsAddressError',
  'NatsUnreachableError',
  'NatsUnsuitableError',
  'OperatorError',
  'RebuildLostError',
  'RebuildRunningError',
  'VectorSpaceChangedError',
  'VersionMismatchError',
  'ViewsMissingError',
  'ViewsShapeError',
  'ViewsUnreachableError',
]);

interface Closable {
  close(): Promise<void>;
}

/** Starts a process and closes it at SIGINT or SIGTERM; a second signal changes nothing. */
export async function runProcess(start: () => Promise<Closable>): Promise<void> {
  try {
    const running = await start();
    let closing = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (closing) return;
        closing = true;
        running.close().then(() => process.exit(0), fail);
      });
    }
  } catch (error) {
    fail(error as Error);
  }
}

/** Returns the message for the operator, or null for an unexpected error. */
export function sentenceOf(error: Error & { code?: string }): string | null {
  if (error.code === 'EADDRINUSE') return `${error.message}; set MNEME_PORT to another port`;
  return EXPECTED.has(error.name) ? error.message : null;
}

function fail(error: Error): never {
  const sentence = sentenceOf(error);
  console.error(sentence === null ? error : `Mneme cannot start: ${sentence}`);
  process.exit(1);
}
