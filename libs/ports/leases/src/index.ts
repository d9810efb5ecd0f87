import type { Leases, NatsLeaseOptions } from './port.ts';

export { InProcessLeases } from './adapters/in-process/in-process-leases.ts';
export type { Lease, Leases, NatsLeaseOptions } from './port.ts';

/**
 * Opens leases among all processes that use the same NATS. The first call loads the driver. The caller owns the connection,
 * which has to stay open until every `hold` has resolved.
 */
export async function openNatsLeases(options: NatsLeaseOptions): Promise<Leases> {
  const { NatsLeases } = await import('./adapters/nats/nats-leases.ts');
  return NatsLeases.open(options);
}
