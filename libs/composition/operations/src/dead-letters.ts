import { openDeadLetters } from '#composition/runtime';
import { decideRestart, lossIn } from '#features/documents';
import { err, isoTime, type JsonObject, type OrganizationId, systemScope } from '#platform/kernel';
import { systemCause } from '#ports/event-store';
import type { DeadLetter } from '#ports/message-bus';
import type { DocumentRow } from '#read-side/views';
import { documentRows } from './document-rows.ts';
import { documentNamed } from './log.ts';
import { type OperationsContext, OperatorError, textOf } from './operation.ts';

const PAGE = 500;

const failedDocuments = (context: OperationsContext): AsyncGenerator<DocumentRow> =>
  documentRows(context, { holds: 'both', stages: ['failed'], sort: 'updatedAt' });

/** Lists failed documents with the reason, the number and the time of the last failure; then messages that could not be read. */
export async function* listDeadLetters(
  context: OperationsContext,
  _input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  for await (const { organization, id, error, updatedAt } of failedDocuments(context)) {
    if (signal.aborted) return;
    const events = await context.parts.documents.events(systemScope(organization), id);
    yield {
      kind: 'document',
      id,
      organization,
      at: isoTime(updatedAt),
      stage: error?.stage ?? null,
      code: error?.code ?? null,
      why: error?.message ?? null,
      failures: events.ok ? events.value.filter(({ envelope }) => envelope.type === 'ProcessingFailed').length : 0,
    };
  }
  yield* deadMessages(context);
}

async function* deadMessages({ parts }: OperationsContext): AsyncGenerator<JsonObject> {
  const letters = await openDeadLetters(parts.storage);
  for (let after: string | null = null; letters !== null; ) {
    const page: readonly DeadLetter[] = await letters.list({ after, limit: PAGE });
    for (const { id, subject, why, at } of page) yield { kind: 'message', id, subject, why, at };
    if (page.length < PAGE) return;
    after = page.at(-1)?.id ?? null;
  }
}

/** Restarts the document or message named by `id`, or all of them. Yields a line for each. */
export async function* retryDeadLetters(
  context: OperationsContext,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const named = textOf(input.id);
  const letters = await openDeadLetters(context.parts.storage);
  if (named !== null) {
    if (/^\d+$/.test(named) && (await letters?.retry(named))) {
      yield { kind: 'message', id: named };
      return;
    }
    const { organization, id } = await documentNamed(context, named, input);
    const restarted = await retry(context, organization, id);
    if (restarted.ok) yield { kind: 'document', id };
    else throw new OperatorError(`The document ${named} ${REFUSALS[restarted.error]}`);
    return;
  }
  // Listed completely before the first retry, because retried documents leave the pages that are being listed.
  const failed: DocumentRow[] = [];
  for await (const document of failedDocuments(context)) failed.push(document);
  for (const { organization, id } of failed) {
    if (signal.aborted) return;
    if ((await retry(context, organization, id)).ok) yield { kind: 'document', id };
  }
  for await (const { id } of deadMessages(context)) {
    if (signal.aborted) return;
    if (await letters?.retry(id as string)) yield { kind: 'message', id };
  }
}

const REFUSALS = {
  forbidden: 'may not be changed',
  not_found: 'is deleted',
  not_failed: 'has not failed; only failed documents can be retried',
  lost: 'cannot be read, for the key that it is sealed with is gone',
} as const;

async function retry({ parts }: OperationsContext, organization: OrganizationId, id: string) {
  try {
    return await parts.documents.change(systemScope(organization), id, systemCause(), decideRestart);
  } catch (error) {
    if (lossIn(error) === null) throw error;
    return err('lost' as const);
  }
}
