import type { FastifyRequest } from 'fastify';
import type { HttpOptions } from '../options.ts';

/** A host name or an address with an optional port. */
const HOST = /^(\[[0-9a-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i;

/**
 * Returns the address under which the caller reaches this server, without a slash at its end: the setting, else what a
 * proxy says of the request, else the request's host. Only for answers to the caller that sent the request.
 */
export function publicUrl({ headers, socket }: FastifyRequest, { publicUrl: configured }: HttpOptions): string {
  if (configured) return configured;
  const scheme = firstOf(headers['x-forwarded-proto']) === 'https' ? 'https' : 'http';
  const hosts = [firstOf(headers['x-forwarded-host']), headers.host];
  const host = hosts.find((each) => each !== undefined && HOST.test(each));
  return `${scheme}://${host ?? addressOf(socket)}`;
}

/** Proxies in a row separate their values by commas, the one next to the client first. */
const firstOf = (header: string | string[] | undefined): string | undefined =>
  (Array.isArray(header) ? header[0] : header)?.split(',')[0]?.trim();

function addressOf({ localAddress = '127.0.0.1', localPort }: FastifyRequest['socket']): string {
  const host = localAddress.includes(':') ? `[${localAddress}]` : localAddress;
  return localPort === undefined ? host : `${host}:${localPort}`;
}
