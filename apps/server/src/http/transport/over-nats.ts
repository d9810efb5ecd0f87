import type { FastifyRequest } from 'fastify';

/** The address of every request over NATS, whose messages do not carry that of the client. */
export const NATS_ADDRESS = 'nats';

/** Not `request.ip`, which a proxy may state. */
export const isOverNats = ({ socket }: FastifyRequest): boolean => socket.remoteAddress === NATS_ADDRESS;
