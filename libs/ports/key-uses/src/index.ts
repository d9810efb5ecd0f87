import { DiskUses } from './adapters/disk/disk-uses.ts';
import type { NatsUsesOptions } from './adapters/nats/nats-uses.ts';
import { NotedUses } from './noted-uses.ts';
import type { KeyUses } from './port.ts';

export { KEY_USES, type KeyUses } from './port.ts';

export const openKeyUses = (path: string): KeyUses => new NotedUses(new DiskUses(path));

/** Opens uses that all processes on one NATS share. The first call loads the driver. The caller owns the connection. */
export async function openNatsKeyUses(options: NatsUsesOptions): Promise<KeyUses> {
  const { NatsUses } = await import('./adapters/nats/nats-uses.ts');
  return new NotedUses(await NatsUses.open(options));
}
