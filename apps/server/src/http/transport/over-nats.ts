/** The address of every request over NATS, whose messages do not carry that of the client. */
export const NATS_ADDRESS = 'nats';
