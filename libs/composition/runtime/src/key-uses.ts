import { type KeyUses, openKeyUses, openNatsKeyUses } from '#ports/key-uses';
import { layoutOf } from './settings.ts';
import type { Storage } from './storage/open-storage.ts';

/** What notes when keys are used: the processes on one NATS together, or this one alone. */
export async function keyUsesOf({ nats, settings, files }: Storage): Promise<KeyUses> {
  if (nats === null) return openKeyUses(files.keyUses);
  return openNatsKeyUses({
    ...{ connection: nats, bucket: `${settings.prefix}-key-uses` },
    ...layoutOf(settings, 'key-uses'),
  });
}
