import { isoTime, type JsonObject } from '#platform/kernel';
import { type OperationsContext, textOf } from './operation.ts';
import { namedIn } from './organization-of.ts';

/** Lists the secrets of one organization, or of all, without their values. `opens`: whether a present master key opens it. */
export async function* listSecrets(context: OperationsContext, input: JsonObject): AsyncIterable<JsonObject> {
  const organization = textOf(input.organization);
  if (organization !== null) await namedIn(context, input);
  for (const { changedAt, ...entry } of await context.parts.secrets.list(organization)) {
    yield { ...entry, changedAt: isoTime(changedAt) };
  }
}

/** Seals all secrets again with the newest master key, which is a new one if this installation has made its keys itself. */
export async function* rotateSecrets({ parts }: OperationsContext): AsyncIterable<JsonObject> {
  const { place, isGenerated } = parts.masterKeys;
  yield { done: true, ...(await parts.secrets.rotate()), place, isGenerated };
}
