import type { NatsConnection } from '#platform/nats';

interface Answer {
  readonly error?: { readonly description: string };
}

/** Milliseconds. A busy machine answers late. */
const TIMEOUT_MS = 60_000;

/** Calls the API of JetStream. @throws Error for a refusal */
export async function askJetStream<T extends object>(
  connection: NatsConnection,
  subject: string,
  data: object | string = '',
): Promise<T> {
  const payload = typeof data === 'string' ? data : JSON.stringify(data);
  const answer = (await connection.request(subject, payload, { timeout: TIMEOUT_MS })).json<Answer & T>();
  if (answer.error) throw new Error(`${subject}: ${answer.error.description}`);
  return answer;
}
