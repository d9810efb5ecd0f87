import { isMnemeError } from '#kernel';

/** Codes of errors that the operator can correct: printed as a sentence, without a stack. */
const EXPECTED: ReadonlySet<string> = new Set([
  'control_failed',
  'data_folder_in_use',
  'event_store_too_old',
  'event_store_unreachable',
  'foreign_stream_keys',
  'import_interrupted',
  'invalid_config',
  'invalid_event_store_url',
  'invalid_operation',
  'nats_address',
  'nats_unreachable',
  'nats_unsuitable',
  'newer_schema',
  'port_in_use',
  'rebuild_lost',
  'rebuild_running',
  'restore_interrupted',
  'vector_space_changed',
  'version_mismatch',
  'views_missing',
  'views_shape',
  'views_unreachable',
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
    fail(error);
  }
}

/** Returns the sentence to print for an error of a start or a command, or null for an unexpected one. */
export const sentenceOf = (error: unknown): string | null =>
  isMnemeError(error) && EXPECTED.has(error.code) ? error.message : null;

function fail(error: unknown): never {
  const sentence = sentenceOf(error);
  console.error(sentence === null ? error : `Mneme cannot start: ${sentence}`);
  process.exit(1);
}
