/** Failures of the start that a person can mend are told in a sentence, not as a stack; known by their names. */
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

/** Starts a process of Mneme and ends it in order at SIGINT or SIGTERM. */
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

/** What the failure of a start, or of a command, is called in a sentence. Null: it was not foreseen. */
export function sentenceOf(error: Error & { code?: string }): string | null {
  if (error.code === 'EADDRINUSE') return `${error.message}; set MNEME_PORT to another port`;
  return EXPECTED.has(error.name) ? error.message : null;
}

function fail(error: Error): never {
  const sentence = sentenceOf(error);
  console.error(sentence === null ? error : `Mneme cannot start: ${sentence}`);
  process.exit(1);
}
