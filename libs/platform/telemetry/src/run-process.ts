import { isMnemeError } from '#platform/kernel';

/** Codes of errors that the operator can correct: printed as a sentence, without a stack. */
const EXPECTED: ReadonlySet<string> = new Set([
  'cannot_listen',
  'control_failed',
  'data_folder_in_use',
  'data_folder_unusable',
  'database_damaged',
  'event_log_missing',
  'event_log_replaced',
  'event_store_access_denied',
  'event_store_identity_removed',
  'event_store_too_old',
  'event_store_unreachable',
  'foreign_stream_keys',
  'import_interrupted',
  'invalid_config',
  'invalid_event_store_url',
  'invalid_operation',
  'key_file_unusable',
  'log_format',
  'master_key_missing',
  'nats_address',
  'nats_placement',
  'nats_stream_missing',
  'nats_unreachable',
  'nats_unsuitable',
  'newer_schema',
  'older_schema',
  'rebuild_lost',
  'rebuild_running',
  'restore_interrupted',
  'vector_space_changed',
  'version_mismatch',
  'views_missing',
  'views_shape',
  'views_unreachable',
]);

interface RunningProgram {
  /** Resolves with the reason why the process cannot go on. Undefined: nothing can end it. */
  readonly failed?: Promise<Error> | undefined;
  close(): Promise<void>;
}

type StopSignal = 'SIGINT' | 'SIGTERM';

/** What has not ended by then is abandoned, which loses nothing. Milliseconds. */
const CLOSE_MS = 4_000;
/** Signals of one Ctrl-C: the terminal and npm both send it. Milliseconds. */
const SAME_SIGNAL_MS = 500;

/**
 * Starts a process and closes it at SIGINT or SIGTERM, within five seconds. A second signal ends it at once. Prints what it
 * does to standard output.
 */
export async function runProcess(start: () => Promise<RunningProgram>): Promise<void> {
  // A process whose output nobody reads any more goes on.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  try {
    const running = await start();
    running.failed?.then((error) => fail('Mneme ends', error));
    let stoppedAt: number | null = null;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (stoppedAt === null) {
          stoppedAt = performance.now();
          stop(running, signal);
        } else if (performance.now() - stoppedAt > SAME_SIGNAL_MS) {
          endAtOnce(signal);
        }
      });
    }
  } catch (error) {
    fail('Mneme cannot start', error);
  }
}

/** Returns the sentence to print for an error of a start or a command, or null for an unexpected one. */
export const sentenceOf = (error: unknown): string | null =>
  isMnemeError(error) && EXPECTED.has(error.code) ? error.message : null;

function stop(running: RunningProgram, signal: StopSignal): void {
  console.log('Stopping. Unfinished documents continue at the next start. Press Ctrl-C again to stop at once.');
  setTimeout(() => {
    console.log(`Not everything has ended within ${CLOSE_MS / 1_000} s; it continues at the next start.`);
    endAtOnce(signal);
  }, CLOSE_MS);
  running.close().then(
    () => process.exit(0),
    (error) => fail('Mneme did not stop in order', error),
  );
}

/** By the signal itself: an exit would wait for threads, and end them inside the native library of the models. */
function endAtOnce(signal: StopSignal): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

function fail(what: string, error: unknown): never {
  const sentence = sentenceOf(error);
  console.error(sentence === null ? error : `${what}: ${sentence}`);
  process.exit(1);
}
