import { QUOTA_NAMES, type QuotaChanges, type Quotas } from '#features/quotas';
import type { JsonObject } from '#platform/kernel';
import { systemCause } from '#ports/event-store';
import type { OperationsContext } from './operation.ts';
import { organizationOf } from './organization-of.ts';

/** Shows the quotas of an organization; null: without limit. */
export async function* showQuotas(context: OperationsContext, input: JsonObject): AsyncIterable<JsonObject> {
  const organization = await organizationOf(context, input);
  yield lineOf(organization, context.parts.quotas.of(organization));
}

/** Sets those quotas of an organization that the input names, and shows all. The command line has checked the values. */
export async function* setQuotas(context: OperationsContext, input: JsonObject): AsyncIterable<JsonObject> {
  const organization = await organizationOf(context, input);
  const changes = input.quotas as QuotaChanges;
  yield lineOf(organization, await context.parts.quotaRepository.change(organization, systemCause(), changes));
}

const lineOf = (organization: string, quotas: Quotas): JsonObject => ({
  organization,
  ...Object.fromEntries(QUOTA_NAMES.map((name) => [name, quotas[name] ?? null])),
});
