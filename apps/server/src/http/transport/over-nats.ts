import type { FastifyRequest } from 'fastify';

/** The address of every request over NATS, whose messages do not carry that of the client. */
export const NATS_ADDRESS = 'nats';

export const isOverNats = ({ ip }: FastifyRequest): boolean => ip === NATS_ADDRESS;
