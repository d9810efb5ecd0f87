import type { SyncedItem } from '#features/connections';
import type { SourceItem } from '#ports/connectors';

/** What an item that a source lists needs. `describe`: its document shows other details; its content is as it was. */
export type ItemStep = 'nothing' | 'describe' | 'bring';

/** @param retriesFailed whether what could not be brought is tried again although it has not changed */
export function decideItem(
  known: SyncedItem | undefined,
  { version }: Pick<SourceItem, 'version'>,
  details: string,
  retriesFailed: boolean,
): ItemStep {
  if (known === undefined || known.version !== version) return 'bring';
  if (known.failure !== null && retriesFailed) return 'bring';
  return known.details === details ? 'nothing' : 'describe';
}
