import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import { headersToCaller } from '#features/proxy';
import type { RelayedAnswer } from '#platform/fetch';

/** An answer that does not come as a stream is held until its end, so that a header can tell what it has cost. */
const HELD_BYTES = 1_048_576;
const HELD_MS = 1_000;

export interface Passing {
  /** Sees each chunk before it is sent. */
  readonly see: (chunk: Buffer) => void;
  /** Whether the beginning is held for headers that are known at the end. */
  readonly isHeld: boolean;
  /** Our headers, asked for when the first byte is sent. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** Called after the last byte has come; of an answer that is held, before it is sent. */
  readonly ended: () => Promise<void>;
  /** Aborts when the caller is gone. */
  readonly signal: AbortSignal;
}

/**
 * Sends the answer of a provider as it comes, byte by byte. Its headers count where it has the same as this server.
 * @throws what ends the answer early; the caller's connection then has to end, too
 */
export async function passAnswer(reply: FastifyReply, answer: RelayedAnswer, passing: Passing): Promise<void> {
  const { raw } = reply;
  const held: Buffer[] = [];
  let heldBytes = 0;
  let isBegun = false;
  const begin = (): void => {
    if (isBegun) return;
    isBegun = true;
    raw.writeHead(answer.status, answer.statusText, headersOf(reply, answer, passing));
    if (heldBytes === 0) raw.flushHeaders();
    for (const chunk of held.splice(0)) raw.write(chunk);
  };
  const beginLate = (): void => {
    try {
      begin();
    } catch {
      raw.destroy();
    }
  };
  const timer = passing.isHeld ? setTimeout(beginLate, HELD_MS) : undefined;
  reply.code(answer.status).hijack();
  try {
    if (!passing.isHeld) begin();
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      passing.see(chunk);
      if (!isBegun && heldBytes + chunk.length <= HELD_BYTES) {
        heldBytes += chunk.length;
        held.push(chunk);
        continue;
      }
      begin();
      if (!raw.write(chunk)) await once(raw, 'drain', { signal: passing.signal });
    }
    const isStillHeld = !isBegun;
    if (isStillHeld) await passing.ended();
    begin();
    raw.end();
    if (!isStillHeld) await passing.ended();
  } finally {
    clearTimeout(timer);
  }
}

function headersOf(reply: FastifyReply, answer: RelayedAnswer, { headers }: Passing): string[] {
  const passed = headersToCaller(answer.headers);
  const names = new Set(passed.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()));
  const own = Object.entries({ ...reply.getHeaders(), ...headers() });
  return [...passed, ...own.flatMap(([name, value]) => (names.has(name) ? [] : [name, String(value)]))];
}
