import type { Leases, NatsLeaseOptions } from './port.ts';

export { InProcessLeases } from './adapters/in-process/in-process-leases.ts';
export type { Lease, Leases, NatsLeaseOptions } from './port.ts';

/**
 * Opens leases among all processes that use the same NATS. The driver is loaded by the first call; the connection stays
 * the caller's, and has to be open until every `hold` has resolved.
 */
export async function openNatsLeases(options: NatsLeaseOptions): Promise<Leases> {
  const { NatsLeases } = await import('./adapters/nats/nats-leases.ts');
  return NatsLeases.open(options);
}
