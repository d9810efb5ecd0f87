import { giveWay } from '#kernel';
import type { Message } from '../events.ts';
import { sameMessage } from './message.ts';

/** How the messages of a call change the stored ones: the first `kept` of these stay, and `added` follow. */
export interface MessageChange {
  readonly kept: number;
  readonly added: readonly Message[];
}

export interface EarlierCall {
  /** Messages that the last call added, if nothing was written since; 0 otherwise. */
  readonly lastAdded: number;
  /** The call is sent again because its client got no answer. */
  readonly isRetry: boolean;
}

/** Messages that are compared before other work may go on. */
const AT_ONCE = 100;

/**
 * Compares the messages of a call with the stored ones. If the first ones are equal, the call has the whole conversation:
 * messages from the first difference on replace the stored ones. A call that ends before any difference changes nothing: it
 * may be late, and nothing says that the later messages are void. Otherwise all messages are new. Other work goes on in
 * between.
 */
export async function compareMessages(
  stored: readonly Message[],
  sent: readonly Message[],
  { lastAdded, isRetry }: EarlierCall,
): Promise<MessageChange> {
  const none: MessageChange = { kept: stored.length, added: [] };
  const equal = async (from: number): Promise<number> => {
    let count = 0;
    while (isSame(stored[from + count], sent[count])) {
      count += 1;
      if (count % AT_ONCE === 0) await giveWay();
    }
    return count;
  };
  const known = await equal(0);
  if (known === sent.length) return none;
  if (known > 0) return { kept: known, added: sent.slice(known) };
  if (isRetry && lastAdded === sent.length && (await equal(stored.length - lastAdded)) === sent.length) return none;
  return { kept: stored.length, added: sent };
}

const isSame = (a: Message | undefined, b: Message | undefined): boolean =>
  a !== undefined && b !== undefined && sameMessage(a, b);
