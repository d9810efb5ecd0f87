import type { ChangeRefusal, DeleteRefusal, KeyRefusal } from '#features/access';
import type { ConfirmRefusal, CreateRefusal, LinkRefusal, NotificationRefusal } from '#features/connections/use-cases';
import type { DeleteProjectRefusal, MergeRefusal } from '#features/container-tags/use-cases';
import { ErasureDelayedError, MAX_DOCUMENT_TAGS, MAX_TAG_BYTES } from '#features/documents';
import type { AddRefusal, FileRefusal, RetryRefusal, UpdateRefusal } from '#features/documents/use-cases';
import type { ForgetRefusal, RecordRefusal, ReviseRefusal } from '#features/memories/use-cases';
import type { AnswerAuthorizationRefusal, GrantRefusal, ReadAuthorizationRefusal } from '#features/oauth/use-cases';
import type { ExceededQuota, QuotaName } from '#features/quotas';
import type { SignInRefusal, StartSessionRefusal, SwitchRefusal } from '#features/sessions/use-cases';
import type { ResetRefusal, SettingsRefusal, SuggestionRefusal } from '#features/settings/use-cases';
import type { TeamRefusal } from '#features/team';
import { InputError } from '#platform/input';
import { ForbiddenError, hasCode, isMnemeError, type MnemeError, type Result } from '#platform/kernel';
import type { OidcRefusal } from '#platform/oidc';
import { MOST_CHANGED } from '#read-side/as-of';
import { ApiError, unauthorized } from './api-error.ts';

type Refusal =
  | AddRefusal
  | RetryRefusal
  | UpdateRefusal
  | FileRefusal
  | RecordRefusal
  | ReviseRefusal
  | ForgetRefusal
  | 'too_many_changed'
  | 'dead_link'
  | MergeRefusal
  | DeleteProjectRefusal
  | ResetRefusal
  | 'merge_not_found'
  | SettingsRefusal
  | KeyRefusal
  | TeamRefusal
  | ChangeRefusal
  | DeleteRefusal
  | SignInRefusal
  | StartSessionRefusal
  | SwitchRefusal
  | OidcRefusal
  | ReadAuthorizationRefusal
  | AnswerAuthorizationRefusal
  | GrantRefusal
  | SuggestionRefusal
  | CreateRefusal
  | ConfirmRefusal
  | LinkRefusal
  | NotificationRefusal
  | 'no_connection';

/** SDKs sleep for the full Retry-After. Seconds. */
const RETRY_SOON = { 'retry-after': '5' };
/** SDKs retry a 409 and a 503 by default; here waiting does not help, or a repetition does not find what is deleted. */
const NO_RETRY = { 'x-should-retry': 'false' };

/** The longest Retry-After with which clients are told to retry, because they wait for all of it. Seconds. */
const LONGEST_RETRY_S = 60;

/** The HTTP answer of each refusal. */
const REFUSALS: Readonly<Record<Refusal, () => ApiError>> = {
  filter_off: () =>
    new ApiError(
      'invalid_request',
      'filterPrompt, includeItems and excludeItems need shouldLLMFilter: true',
      'shouldLLMFilter',
    ),
  no_prompt: () =>
    new ApiError('invalid_request', 'filterPrompt or workspacePrompt has to be set first', 'workspacePrompt'),
  tag_merging: () =>
    new ApiError('conflict', 'A container tag is being merged into another one', 'containerTag', NO_RETRY),
  tag_required: () =>
    new ApiError('invalid_request', 'containerTag is required, because the key may write several tags', 'containerTag'),
  too_many_tags: () =>
    new ApiError(
      'invalid_request',
      `A document may have at most ${MAX_DOCUMENT_TAGS} container tags, and ${MAX_TAG_BYTES} bytes of them as JSON, those that it has already included`,
      'containerTags',
    ),
  no_source: () =>
    new ApiError('invalid_request', 'containerTags must name a tag other than the target', 'containerTags'),
  key_not_found: () => new ApiError('not_found', 'Key not found'),
  key_above_role: () => new ApiError('forbidden', 'The key has a role above that of your key', 'role'),
  member_not_found: () => new ApiError('not_found', 'Member not found'),
  invitation_not_found: () =>
    new ApiError('not_found', 'There is no such invitation, or it was accepted or withdrawn, or it has expired'),
  member_above_role: () =>
    new ApiError('forbidden', 'The person has, or would have, a role above that of your key', 'role'),
  restricted_role: () =>
    new ApiError(
      'invalid_request',
      'Owners and admins reach all tags: accessType restricted needs the role member',
      'accessType',
    ),
  last_owner: () => new ApiError('conflict', 'The last owner stays one, until there is another', 'role', NO_RETRY),
  other_identity: () =>
    new ApiError('forbidden', 'The member with your address signs in with another account of the provider'),
  email_unverified: () =>
    new ApiError(
      'forbidden',
      'Your account is unknown here, and the provider does not confirm an e-mail address by which you could be invited',
    ),
  not_invited: () =>
    new ApiError(
      'forbidden',
      'Your e-mail address is not invited: ask an admin of your organization for an invitation',
    ),
  organization_suspended: () => new ApiError('organization_suspended', 'The organization is suspended'),
  key_required: () =>
    new ApiError('invalid_request', 'The request must have a key: Authorization: Bearer sm_…', 'Authorization'),
  no_session: () => new ApiError('not_found', 'The request was not made in a session, but with a key'),
  account_required: () =>
    new ApiError('forbidden', 'Only who has signed in by OpenID Connect can switch to another organization'),
  provider_unreachable: () =>
    new ApiError(
      'unavailable',
      'The provider by which people sign in does not answer, try again later',
      null,
      RETRY_SOON,
    ),
  sign_in_unknown: () =>
    new ApiError(
      'invalid_request',
      'This sign-in did not begin in this browser, or more than ten minutes ago, or has ended already: begin again',
      'state',
    ),
  sign_in_denied: () => new ApiError('forbidden', 'The provider has not signed you in'),
  sign_in_failed: () =>
    new ApiError('forbidden', 'What the provider says does not belong to this sign-in: begin again'),
  session_required: () => new ApiError('forbidden', 'Sign in with a browser: a key permits no application'),
  redirect_uri_unknown: () =>
    new ApiError('invalid_request', 'This redirect_uri is not registered for the application', 'redirect_uri'),
  other_resource: () =>
    new ApiError(
      'invalid_request',
      'The application asks for another server than the tool server of this one',
      'resource',
    ),
  scope_unknown: () => new ApiError('invalid_request', 'scope must be read, or read and write', 'scope'),
  authorization_over: () =>
    new ApiError(
      'invalid_request',
      'The request is too old, or of another session: begin again in the application',
      'request',
    ),
  grant_invalid: () =>
    new ApiError(
      'invalid_request',
      'The code or token is of another application, is too old, was used before or was revoked',
      'invalid_grant',
    ),
  already_member: () => new ApiError('conflict', 'The person with this address is a member', 'email', NO_RETRY),
  organization_not_found: () => new ApiError('not_found', 'Organization not found'),
  organization_deleting: () => new ApiError('conflict', 'The organization is being deleted', null, NO_RETRY),
  last_organization: () =>
    new ApiError('conflict', 'It is the only organization; a deletion needs another one', null, NO_RETRY),
  connection_not_found: () => new ApiError('not_found', 'Connection not found'),
  link_over: () =>
    new ApiError('invalid_request', 'This link is too old, was used, or was not made by this server. Begin again.'),
  unknown_notification: () => new ApiError('not_found', 'Nothing here waits for this notification'),
  no_connection: () => new ApiError('invalid_request', 'The provider has no such connection', 'containerTags'),
  nothing_to_confirm: () =>
    new ApiError('conflict', 'No removal waits for a confirmation of this connection', null, NO_RETRY),
  project_not_found: () => new ApiError('not_found', 'Project not found'),
  no_target: () =>
    new ApiError('invalid_request', 'targetProjectId must be the id of another project', 'targetProjectId'),
  not_confirmed: () =>
    new ApiError('invalid_request', 'confirmation must be the name or the slug of the organization', 'confirmation'),
  merge_not_found: () => new ApiError('not_found', 'Merge not found'),
  tag_not_found: () => new ApiError('not_found', 'Container tag not found'),
  not_found: () => new ApiError('not_found', 'Document not found'),
  memory_too_large: () =>
    new ApiError(
      'invalid_metadata',
      'metadata and the text must have at most 65,000 bytes together as JSON',
      'metadata',
    ),
  memory_not_found: () => new ApiError('not_found', 'Memory not found'),
  already_forgotten: () => new ApiError('already_forgotten', 'The memory is forgotten already', null, NO_RETRY),
  forbidden: () => new ApiError('forbidden', 'The key does not permit this'),
  too_many_changed: () =>
    new ApiError(
      'invalid_request',
      `More than ${MOST_CHANGED.toLocaleString('en-US')} documents have changed since this time`,
      'asOf',
    ),
  no_file: () => new ApiError('not_found', 'The document has no file'),
  dead_link: () => new ApiError('not_found', 'The link is not valid any more'),
  not_failed: () => new ApiError('conflict', 'Only a failed document can be retried', null, NO_RETRY),
  custom_id_taken: () =>
    new ApiError('conflict', 'Another document with the same tags has this customId', 'customId', NO_RETRY),
  not_a_file: () =>
    new ApiError(
      'conflict',
      'The document with this customId did not come as a file, so a file does not replace it',
      'customId',
      NO_RETRY,
    ),
  empty_content: () => new ApiError('invalid_request', 'content must not be blank', 'content'),
  backlog_full: () =>
    new ApiError('unavailable', 'Too much is waiting to be processed, try again later', null, RETRY_SOON),
  idempotency_key_reused: () =>
    new ApiError('conflict', 'Idempotency-Key was used for another request before', 'Idempotency-Key', NO_RETRY),
};

const NO_MASTER_KEY = 'The server cannot store secrets: its operator has to set MNEME_MASTER_KEY';
const TRY_AGAIN = 'The server cannot do this at the moment, try again';
/** Messages for transient errors, by code. */
const TRANSIENT: Readonly<Record<string, string>> = {
  no_space: 'The server has no space left to store this',
  nats_unreachable: 'A part of the server does not answer, try again',
  event_store_unreachable: 'The event log cannot be reached, try again later',
  key_store_failed: 'The keys of the event log cannot be reached, try again later',
  views_unreachable: 'The search index cannot be reached, try again',
  views_damaged: 'The search index is damaged and is being rebuilt, try again',
  views_missing: 'The search index is being built, try again',
  thread_gone: 'A part of the server has failed and is started again, try again',
  deletion_continues: 'The deletion continues; the same request answers with its totals',
  erasure_delayed: 'It is deleted, but not all that it has stored could be removed yet; this is repeated until it is',
  blob_put_interrupted: 'The upload was interrupted for too long, or its document was deleted; send it again',
  concurrency_exhausted: 'The document is being changed by others, try again',
};

/** Returns the answer to a transient error, or null for any other error. */
export function transientAnswer(error: unknown): ApiError | null {
  if (!isMnemeError(error) || error.kind !== 'transient') return null;
  const message = TRANSIENT[error.code] ?? TRY_AGAIN;
  if (!(error instanceof ErasureDelayedError)) return new ApiError('unavailable', message, null, RETRY_SOON);
  const totals = { deletedCount: error.deleted, unerasedCount: error.unerased };
  return new ApiError('unavailable', message, null, { ...RETRY_SOON, ...NO_RETRY }, totals);
}

/**
 * Returns the answer to an error that is a refusal: of wrong input, of a write by the log, of a question about a past time,
 * of a name, of a tag, or of a secret. Or null.
 */
export function refusalOf(error: unknown): ApiError | null {
  if (error instanceof InputError) return new ApiError(error.code, error.message, error.details);
  if (error instanceof ForbiddenError) return new ApiError('forbidden', error.message, error.details);
  if (hasCode(error, 'ambiguous_custom_id')) return ambiguous(error);
  if (hasCode(error, 'quota_exceeded')) return quotaExceeded(error);
  if (hasCode(error, 'tag_merging')) return REFUSALS.tag_merging();
  if (hasCode(error, 'provider_unavailable')) return unavailableProvider(error);
  if (hasCode(error, 'source_lost')) return new ApiError('invalid_request', error.message, null);
  if (hasCode(error, 'organization_gone')) return unauthorized();
  if (hasCode(error, 'master_key_missing')) return new ApiError('unavailable', NO_MASTER_KEY, null, NO_RETRY);
  return hasCode(error, 'too_many_changed') ? REFUSALS.too_many_changed() : null;
}

const unavailableProvider = ({ message }: MnemeError): ApiError =>
  new ApiError('provider_unavailable', message, 'provider', NO_RETRY);

/** What is used up, in words. */
const QUOTAS: Readonly<Record<QuotaName, (limit: string) => string>> = {
  documents: (limit) => `The organization has the ${limit} documents that it may have`,
  storedBytes: (limit) => `The organization stores the ${limit} bytes that it may store`,
  addsPerDay: (limit) => `The organization has no room left of its ${limit} adds for this day (UTC)`,
  tokensPerMonth: (limit) => `The organization has embedded its ${limit} tokens of this month (UTC)`,
};

function quotaExceeded({ details }: MnemeError): ApiError {
  const { quota, limit, retryAfter } = details as unknown as ExceededQuota;
  const headers = { 'retry-after': String(retryAfter), ...(retryAfter > LONGEST_RETRY_S && NO_RETRY) };
  return new ApiError('quota_exceeded', QUOTAS[quota](limit.toLocaleString('en-US')), quota, headers);
}

function ambiguous({ message, details }: MnemeError): ApiError {
  const found = details as unknown as readonly { readonly id: string; readonly tags: readonly string[] }[];
  const named = found.map(({ id, tags }) => `${id} (${tags.join(', ')})`).join('; ');
  return new ApiError('ambiguous_custom_id', `${message}; containerTag picks one of them`, named);
}

/** @throws ApiError for a refusal */
export function valueOrThrow<T>(result: Result<T, Refusal>): T {
  if (result.ok) return result.value;
  throw refusalError(result.error);
}

/** Returns the answer to a refusal. */
export const refusalError = (refusal: Refusal): ApiError => REFUSALS[refusal]();
