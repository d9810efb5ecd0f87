import { err, type JsonObject, ok, type Result } from '#platform/kernel';
import type { ReadSetup, SetupRefusal } from '../../connector.ts';

/** A file or a folder that was chosen; of a folder everything below it, a shared drive being one. */
export interface Chosen {
  readonly id: string;
  readonly name: string;
  readonly isFolder: boolean;
}

/** What a connection reads. */
export type Scope = { readonly kind: 'full' } | { readonly kind: 'selected'; readonly chosen: readonly Chosen[] };

/** Reads `metadata.syncScope`; nothing else is set up before a person has chosen. */
export function readSetup(metadata: JsonObject): Result<ReadSetup, SetupRefusal> {
  const { syncScope = 'selected' } = metadata;
  if (syncScope !== 'selected' && syncScope !== 'full') {
    return err({ field: 'syncScope', message: 'must be "selected" or "full"' });
  }
  return ok({ setup: { syncScope }, secrets: {} });
}

export const scopeOf = ({ syncScope, chosen }: JsonObject): Scope =>
  syncScope === 'full'
    ? { kind: 'full' }
    : { kind: 'selected', chosen: (chosen ?? []) as unknown as readonly Chosen[] };

/** Names a scope, so that a cursor of another one is known. */
export const markOf = (scope: Scope): string =>
  scope.kind === 'full'
    ? 'full'
    : scope.chosen
        .map(({ id }) => id)
        .toSorted()
        .join(' ');
