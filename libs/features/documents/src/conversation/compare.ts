import { inTurns } from '#platform/kernel';
import type { Message } from '../events.ts';
import { commonTurns, isEditedVersion } from '../text-change/compare-turns.ts';
import { sameMessage } from './message.ts';

/** How the messages of a call change the stored ones: the first `kept` of these stay, and `added` follow. */
export interface MessageChange {
  readonly kept: number;
  readonly added: readonly Message[];
  /** The call has sent new messages only. */
  readonly isDelta: boolean;
}

export interface EarlierCall {
  /** Messages that the last call added, if nothing was written since; 0 otherwise. */
  readonly lastAdded: number;
  /** The call is sent again because its client got no answer. */
  readonly isRetry: boolean;
}

/**
 * Compares the messages of a call with the stored ones, as the turns of texts are compared. A call that ends before any
 * difference changes nothing: it may be late, and nothing says that the later messages are void. Other work goes on in between.
 */
export async function compareMessages(
  stored: readonly Message[],
  sent: readonly Message[],
  { lastAdded, isRetry }: EarlierCall,
): Promise<MessageChange> {
  const common = await inTurns(commonTurns(stored, sent, sameMessage));
  const { beginning, window } = common;
  const isKnown = beginning === sent.length || (isRetry && lastAdded === sent.length && (await endsWith(stored, sent)));
  if (isKnown) return { kept: stored.length, added: [], isDelta: false };
  if (stored.length > 0 && isEditedVersion(common, stored)) {
    return { kept: beginning, added: sent.slice(beginning), isDelta: false };
  }
  return { kept: stored.length, added: sent.slice(window), isDelta: true };
}

/** What a caller knew of a conversation whose messages follow. */
export interface KnownMessages {
  /** How many were stored. */
  readonly stored: number;
  /** How many of them stay, from the beginning. */
  readonly kept: number;
}

/**
 * Adds messages to those that a caller knew. What others have added since stays, and is not added again: two calls that say
 * the same at the same time are one.
 */
export async function continueMessages(
  stored: readonly Message[],
  sent: readonly Message[],
  known: KnownMessages,
): Promise<MessageChange> {
  const since = stored.slice(known.stored);
  if (since.length === 0) return { kept: Math.min(known.kept, stored.length), added: sent, isDelta: false };
  const { beginning } = await inTurns(commonTurns(since, sent, sameMessage));
  return { kept: stored.length, added: sent.slice(beginning), isDelta: false };
}

async function endsWith(stored: readonly Message[], sent: readonly Message[]): Promise<boolean> {
  const { beginning } = await inTurns(commonTurns(stored.slice(-sent.length), sent, sameMessage));
  return beginning === sent.length;
}
