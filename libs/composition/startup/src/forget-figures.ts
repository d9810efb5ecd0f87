import { setTimeout as pause } from 'node:timers/promises';
import type { KnownOrganizations } from '#features/access';
import type { OrganizationId } from '#platform/kernel';
import type { Analytics } from '#ports/analytics';

const EVERY_MS = 5_000;

/**
 * Erases the figures of organizations that are deleted, those that were deleted before this start included. While the store of
 * figures does not answer, it tries again. Ends with the signal only.
 */
export async function forgetFigures(
  organizations: Pick<KnownOrganizations, 'deleted'>,
  analytics: Pick<Analytics, 'forget'>,
  signal: AbortSignal,
): Promise<void> {
  const forgotten = new Set<OrganizationId>();
  while (!signal.aborted) {
    for (const id of organizations.deleted()) {
      if (forgotten.has(id)) continue;
      const isDone = analytics.forget(id).then(
        () => true,
        () => false,
      );
      if (await isDone) forgotten.add(id);
    }
    await pause(EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
