import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { mnemeError } from '#platform/kernel';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** The process cannot listen on the address of its settings; the message says why and what to change. */
class ListenError extends mnemeError('permanent', 'cannot_listen') {}

const REASONS: Readonly<Record<string, (address: ListenAddress) => string>> = {
  EADDRINUSE: ({ port }) => `Port ${port} is in use. Stop the other process, or set MNEME_PORT to another port.`,
  EACCES: ({ port }) => `This user may not listen on port ${port}. Set MNEME_PORT to a port from 1024.`,
  EADDRNOTAVAIL: ({ host }) => `${host} is not an address of this machine. Set MNEME_HOST to one, e.g. 127.0.0.1.`,
  ENOTFOUND: ({ host }) => `The host ${host} is unknown. Set MNEME_HOST to an address of this machine, e.g. 127.0.0.1.`,
};
const SAME_REASON: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'ENOTFOUND',
  EINVAL: 'EADDRNOTAVAIL',
  EAFNOSUPPORT: 'EADDRNOTAVAIL',
};

/** Translates an error of `listen`. Returns every other error as it is. */
export function translateListenError(error: unknown, address: ListenAddress): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  const reason = REASONS[SAME_REASON[code] ?? code];
  return reason === undefined ? error : new ListenError(reason(address), { cause: error });
}

/**
 * Checks that the process can listen on the address, so that a start that must fail does so before it creates a key and
 * loads a model.
 * @throws ListenError
 */
export async function checkListening({ host, port }: ListenAddress): Promise<void> {
  const server = createServer();
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw translateListenError(error, { host, port });
  }
  server.close();
  await once(server, 'close');
}

/** Returns the URL of a server on this machine. A server that listens on all addresses is named by the loopback address. */
export function urlOf({ address, port }: AddressInfo): string {
  if (!address.includes(':')) return `http://${address === '0.0.0.0' ? '127.0.0.1' : address}:${port}`;
  return `http://[${address === '::' ? '::1' : address}]:${port}`;
}
