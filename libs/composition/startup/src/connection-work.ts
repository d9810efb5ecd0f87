import type { Parts } from '#composition/runtime';
import type { ConnectionDocuments } from '#features/connections/sync';
import type { Admission } from '#features/documents/requests';
import type { Clock } from '#platform/kernel';
import type { RecentDeletions } from '#read-side/views';

/** What the use cases work with that connections call in the background. */
export interface ConnectionDocumentsContext {
  readonly parts: Parts;
  readonly admission: Admission;
  readonly deletions: RecentDeletions;
  readonly clock: Clock;
}

/** What an application adds to the work behind it. */
export interface WorkApplication {
  connectionDocuments(context: ConnectionDocumentsContext): ConnectionDocuments;
}
