import type { AddRefusal, RetryRefusal } from '#documents/use-cases';
import type { Result } from '#kernel';
import { ApiError } from './api-error.ts';

type Refusal = AddRefusal | RetryRefusal;

/** Long enough for a queue to drain or a disk to be tidied, short enough for a client that sleeps exactly this long. */
const RETRY_SOON = { 'retry-after': '5' };
/** Waiting changes nothing, so the client must not repeat what it retries by default. */
const NO_RETRY = { 'x-should-retry': 'false' };

/** The one place where a refusal becomes HTTP; a new name does not compile until it stands here. */
const REFUSALS: Readonly<Record<Refusal, () => ApiError>> = {
  not_found: () => new ApiError('not_found', 'Document not found'),
  forbidden: () => new ApiError('forbidden', 'The key does not permit this'),
  not_failed: () => new ApiError('conflict', 'Only a failed document can be retried', null, NO_RETRY),
  empty_content: () => new ApiError('invalid_request', 'content must not be blank', 'content'),
  backlog_full: () =>
    new ApiError('unavailable', 'Too much is waiting to be processed, try again later', null, RETRY_SOON),
  idempotency_key_reused: () =>
    new ApiError('conflict', 'Idempotency-Key was used for another request before', 'Idempotency-Key', NO_RETRY),
};

/** Faults of the store that pass by themselves; known by name, because the edge imports no adapter. */
const NO_SPACE = 'The server has no space left to store this';
const PASSING_FAULTS: Readonly<Record<string, string>> = {
  StorageFullError: NO_SPACE,
  BlobStorageFullError: NO_SPACE,
  NatsStorageFullError: NO_SPACE,
  NatsUnreachableError: 'A part of the server does not answer, try again',
  // An upload fills the disk itself; the file system's errors have a code instead of a name.
  ENOSPC: NO_SPACE,
  EDQUOT: NO_SPACE,
  EventStoreUnreachableError: 'The event log cannot be reached, try again later',
  KeyStoreError: 'The keys of the event log cannot be reached, try again later',
  ViewsUnreachableError: 'The search index cannot be reached, try again',
  ViewsDamagedError: 'The search index is damaged and is being built anew, try again',
  ViewsMissingError: 'The search index is being built, try again',
  ThreadGoneError: 'A part of the server has failed and is started again, try again',
  ConcurrencyExhaustedError: 'The document is being changed by others, try again',
};

export function passingFault(error: unknown): ApiError | null {
  if (!(error instanceof Error)) return null;
  const { name, code = '' } = error as NodeJS.ErrnoException;
  const message = PASSING_FAULTS[name] ?? PASSING_FAULTS[code];
  return message === undefined ? null : new ApiError('unavailable', message, null, RETRY_SOON);
}

/** @throws ApiError for a refusal */
export function accepted<T>(result: Result<T, Refusal>): T {
  if (result.ok) return result.value;
  throw REFUSALS[result.error]();
}
