import type { CommandBus, QueryBus } from '@nestjs/cqrs';
import { GetConversation, SaveConversation } from '#features/documents/use-cases';
import { type ChatCall, memoryBlock, TextTokens, type Turn } from '#features/proxy/formats';
import { type Context, GetContext, GetContextInput, getContext } from '#features/search/use-cases';
import { type Principal, permits, unlessAborted, writeScope } from '#platform/kernel';
import type { TokenCounters } from '#platform/tokens';
import { ConversationSoFar, messageOf } from './stored-conversation.ts';
import { unnamedConversation } from './unnamed-conversation.ts';

/** The tokenizer starts with the first call; until it counts, tokens are estimated and no turn is left out. Milliseconds. */
const COUNT_MS = 100;
/** Of the block, by an estimate that is above what most tokenizers count. */
const BLOCK_TOKENS = 1_000;
/** Looked for; each takes time, and few more would fit. */
const MOST_MEMORIES = 30;
/**
 * A turn of the user that is shorter than `enough` ("and her sister?") asks memory together with those before it, up to so many
 * turns and characters. A longer one says what it is about, and each word takes time to embed.
 */
const ASKING = { enough: 80, turns: 3, characters: 300 };
/** Of a turn that is longer, so many characters ask: its end. Embedding takes time. */
const MOST_ASKED = 1_000;
const CHARACTERS_OF_TOKEN = 4;

const FAILED = 'memory is not available';

export interface ChatRequest {
  readonly principal: Principal;
  /** The key of the caller. */
  readonly secret: string;
  readonly tag: string;
  /** Null: the call names none. */
  readonly conversationId: string | null;
  readonly call: ChatCall;
  /** As it was sent. */
  readonly body: Buffer;
  /** The oldest turns leave above this number of tokens. */
  readonly maxTokens: number;
}

/** A call as it goes on to the provider. */
export interface PreparedChat {
  /** Null: it names none, and could not be found in time. */
  readonly conversationId: string | null;
  readonly body: Buffer;
  /** Whether the body is another than was sent. */
  readonly isModified: boolean;
  /** Of all that goes on. */
  readonly tokens: number;
  /** Of the turns that were left out. */
  readonly saved: number;
  /** Memories in the block. */
  readonly memories: number;
  /** Turns of the call that are not stored yet. */
  readonly fresh: number;
  /** Why memory adds nothing, or less. Null: it has done what it can. */
  readonly error: string | null;
  /** Stores the new turns of the call and its answer, in the background. */
  store(answer: readonly Turn[]): void;
}

interface FoundConversation {
  readonly conversationId: string;
  readonly soFar: ConversationSoFar;
}

export interface ChatMemoryOptions {
  /** A call goes on without what memory has not answered by then. Milliseconds. */
  readonly deadlineMs: number;
  readonly queries: QueryBus;
  readonly commands: CommandBus;
  readonly tokenCounters: TokenCounters;
  readonly logger: { warn(message: string, cause?: unknown): void };
}

/** What memory does for calls of language models. None of its failures fails a call. */
export class ChatMemory {
  readonly #options: ChatMemoryOptions;
  readonly #tokens: TextTokens;
  /** What is being stored, by conversation: a call that follows at once finds it. */
  readonly #storing = new Map<string, Promise<void>>();

  constructor(options: ChatMemoryOptions) {
    const { tokenCounters } = options;
    this.#options = options;
    this.#tokens = new TextTokens(tokenCounters.of('o200k'), tokenCounters.of('estimate'));
  }

  async prepare(request: ChatRequest): Promise<PreparedChat> {
    const { call, conversationId, maxTokens } = request;
    const { deadlineMs, logger } = this.#options;
    const deadline = AbortSignal.timeout(deadlineMs);
    const errors: string[] = [];
    const attempt = <T>(work: Promise<T>): Promise<T | null> =>
      unlessAborted(work, deadline).catch((error: unknown) => {
        errors.push(deadline.aborted ? `memory has not answered within ${deadlineMs} ms` : FAILED);
        if (!deadline.aborted) logger.warn('a call went on without memory', error);
        return null;
      });
    const finding = this.#find(request);
    const nameOf = async () => conversationId ?? (await finding).conversationId;
    const [found, context] = await Promise.all([attempt(finding), attempt(this.#recall(request, nameOf))]);
    const soFar = found?.soFar ?? null;
    const rewritten = await this.#rewrite(
      request,
      {
        block: context === null || context.text === '' ? undefined : memoryBlock(context.text),
        // What a client sends without naming its conversation is all that it wants to be sent.
        history: conversationId === null ? [] : (soFar?.history ?? []),
        maxTokens,
      },
      deadline,
    );
    return {
      ...rewritten,
      isModified: rewritten.body !== request.body,
      conversationId: conversationId ?? found?.conversationId ?? null,
      memories: context === null ? 0 : context.memories.length + (context.profile?.static.length ?? 0),
      fresh: soFar?.fresh.length ?? call.turns.length,
      error: errors[0] ?? null,
      store: (answer) => void this.#storeIn(finding, request, answer),
    };
  }

  /** Waits until all is stored. */
  async close(): Promise<void> {
    await Promise.all(this.#storing.values());
  }

  async #find({ principal, secret, tag, conversationId, call }: ChatRequest): Promise<FoundConversation> {
    const find = async (id: string) => {
      await this.#storing.get(keyOf(principal, tag, id));
      return this.#options.queries.execute(new GetConversation(principal, id, tag));
    };
    const named =
      conversationId === null
        ? await unnamedConversation({ secret, tag, sent: call.turns }, find)
        : { conversationId, stored: await find(conversationId) };
    return { conversationId: named.conversationId, soFar: new ConversationSoFar(named.stored, call.turns) };
  }

  /** @param nameOf returns the id of the conversation, which says nothing new while the call has all of it */
  async #recall(
    { principal, tag, call, maxTokens }: ChatRequest,
    nameOf: () => Promise<string>,
  ): Promise<Context | null> {
    const q = questionOf(call.turns);
    if (q === null) return null;
    const characters = call.turns.reduce((sum, { text }) => sum + text.length, 0);
    const isWhole = characters < maxTokens * CHARACTERS_OF_TOKEN;
    const input = Object.assign(new GetContextInput(), {
      ...{ q, containerTag: tag, maxTokens: BLOCK_TOKENS, includeRecent: false, tokenizer: 'estimate' },
    });
    const { tags, options } = getContext(principal, input);
    const exceptCustomId = isWhole ? await nameOf() : undefined;
    return this.#options.queries.execute(
      new GetContext(principal, tags, { ...options, exceptCustomId, mostMemories: MOST_MEMORIES }),
    );
  }

  async #rewrite({ call, body }: ChatRequest, change: Parameters<ChatCall['rewrite']>[0], deadline: AbortSignal) {
    const isCounted = AbortSignal.any([AbortSignal.timeout(COUNT_MS), deadline]);
    try {
      return await call.rewrite(change, (texts) => unlessAborted(this.#tokens.count(texts), isCounted));
    } catch (error) {
      if (!isCounted.aborted) this.#options.logger.warn('tokens of a call are estimated', error);
    }
    try {
      const { block, history } = change;
      return await call.rewrite({ block, history }, this.#options.tokenCounters.of('estimate'));
    } catch (error) {
      this.#options.logger.warn('a call went on as it came', error);
      return { body, tokens: 0, saved: 0 };
    }
  }

  /** A conversation that is found late is stored, too. If it cannot be read, its messages are compared when they are stored. */
  async #storeIn(finding: Promise<FoundConversation>, request: ChatRequest, answer: readonly Turn[]): Promise<void> {
    const { conversationId } = request;
    const found = await finding.catch(() => conversationId && { conversationId, soFar: null });
    if (found) this.#store(request, found, answer);
  }

  #store(
    { principal, tag, call }: ChatRequest,
    { conversationId, soFar }: Pick<FoundConversation, 'conversationId'> & { readonly soFar: ConversationSoFar | null },
    answer: readonly Turn[],
  ): void {
    const turns = [...(soFar?.fresh ?? call.turns), ...answer];
    if (turns.length === 0 || !permits(writeScope(principal), [tag])) return;
    const key = keyOf(principal, tag, conversationId);
    const save = async () => {
      const messages = turns.map(messageOf);
      const conversation = {
        conversationId,
        messages,
        tags: [tag],
        metadata: null,
        ...(soFar && { known: soFar.known }),
      };
      const attempt = { idempotencyKey: null, isRetry: false };
      const saved = await this.#options.commands.execute(
        new SaveConversation(principal, conversation, attempt, new Map()),
      );
      if (!saved.ok) throw new Error(saved.error);
    };
    const before = this.#storing.get(key) ?? Promise.resolve();
    const storing = before
      .then(save)
      .catch((error: unknown) => this.#options.logger.warn('turns of a conversation could not be stored', error))
      .finally(() => {
        if (this.#storing.get(key) === storing) this.#storing.delete(key);
      });
    this.#storing.set(key, storing);
  }
}

/** Null: the user has said nothing. */
function questionOf(turns: readonly Turn[]): string | null {
  const said = turns.filter(({ role }) => role === 'user').slice(-ASKING.turns);
  let question = said.pop()?.text ?? null;
  for (let before = said.pop(); before !== undefined && question !== null; before = said.pop()) {
    const joined = `${before.text}\n${question}`;
    if (question.length >= ASKING.enough || joined.length > ASKING.characters) break;
    question = joined;
  }
  return question?.slice(-MOST_ASKED) ?? null;
}

const keyOf = ({ organization }: Principal, tag: string, conversationId: string): string =>
  JSON.stringify([organization, tag, conversationId]);
