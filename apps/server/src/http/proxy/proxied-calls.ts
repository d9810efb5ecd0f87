import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChatMemory, type PreparedChat } from '#composition/application/chats';
import { type CalledAddress, calledAddress, headersToProvider, Providers, serviceKeyOf } from '#features/proxy';
import { CHAT_FORMATS, type ChatCall, type ChatFormat } from '#features/proxy/formats';
import { allowRuleFor, openRelay, type Relay, type RelayedAnswer, type RelayedRequest } from '#platform/fetch';
import type { Principal } from '#platform/kernel';
import { ApiError } from '../errors/api-error.ts';
import type { HttpOptions, ProxyOptions } from '../options.ts';
import { discard } from '../transport/discard.ts';
import { tapOf } from './answer-tap.ts';
import { passingBody, wholeBody } from './body.ts';
import { conversationOf, maxTokensOf, tagOf } from './call-headers.ts';
import { CallTime } from './call-time.ts';
import { failureOf, refusedAddress } from './failures.ts';
import { memoryHeaders } from './memory-headers.ts';
import { passAnswer } from './pass-answer.ts';
import type { ProxyParts } from './proxy-parts.ts';

/** A call of a model whose body was understood. */
interface Chat {
  readonly format: ChatFormat;
  readonly prepared: PreparedChat;
}

interface Outgoing extends Pick<RelayedRequest, 'body'> {
  /** Bytes. Undefined: as the caller declares. */
  readonly length?: number;
  /** Null: it passes without memory. */
  readonly chat: Chat | null;
}

/** The calls of language models that are passed on to providers. */
export class ProxiedCalls {
  readonly #options: ProxyOptions & Pick<HttpOptions, 'analytics'>;
  readonly #providers: Providers;
  readonly #relay: Relay;
  readonly #memory: ChatMemory;

  constructor({ proxy, analytics, logger }: HttpOptions & { readonly proxy: ProxyOptions }, parts: ProxyParts) {
    this.#options = { ...proxy, ...(analytics && { analytics }) };
    this.#providers = new Providers(proxy.providers);
    this.#relay = openRelay(proxy.connections);
    this.#memory = new ChatMemory({
      ...{ ...parts, deadlineMs: proxy.memoryMs },
      logger: logger ?? { warn: () => undefined },
    });
  }

  /** Waits until the turns of all calls are stored. */
  async close(): Promise<void> {
    this.#relay.close();
    await this.#memory.close();
  }

  /** @throws what is answered in place of the provider */
  async answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const principal = request.principal as Principal;
    const called = calledAddress(request.raw.url ?? '', principal.organization, this.#providers);
    if (!called.ok) throw refusedAddress(called.error);
    const { raw } = reply;
    const time = new CallTime();
    raw.once('close', () => raw.writableFinished || time.callerGone());
    try {
      const outgoing = await this.#outgoing(request, principal, called.value);
      const answer = await this.#send(request, called.value, outgoing, time);
      await this.#pass(reply, answer, outgoing.chat, time, principal);
    } catch (error) {
      if (!reply.sent) {
        if (error instanceof ApiError && error.code === 'payload_too_large') await discard(request.raw);
        throw error;
      }
      // Only a broken connection shows the caller that the answer is incomplete.
      raw.destroy();
    } finally {
      time.stop();
    }
  }

  async #outgoing(request: FastifyRequest, principal: Principal, called: CalledAddress): Promise<Outgoing> {
    const { raw, method, headers } = request;
    const { maxBodyBytes } = this.#options;
    const { pathname } = called.url;
    const format = CHAT_FORMATS.find((one) => one.takes(method, pathname));
    if (format === undefined || headers['content-encoding'] !== undefined) {
      return { body: passingBody(raw, maxBodyBytes), chat: null };
    }
    const body = await wholeBody(raw, maxBodyBytes);
    const call = format.read(body, pathname);
    if (call === undefined) return { body, length: body.length, chat: null };
    const prepared = await this.#prepare(request, principal, called, { call, body });
    return { body: prepared.body, length: prepared.body.length, chat: { format, prepared } };
  }

  #prepare(
    { headers }: FastifyRequest,
    principal: Principal,
    { userId }: CalledAddress,
    sent: { readonly call: ChatCall; readonly body: Buffer },
  ): Promise<PreparedChat> {
    return this.#memory.prepare({
      ...{ ...sent, principal, secret: serviceKeyOf(headers) ?? '' },
      tag: tagOf(principal, headers, { body: sent.call.user, query: userId }),
      conversationId: conversationOf(headers),
      maxTokens: maxTokensOf(headers, this.#options.maxContextTokens),
    });
  }

  async #send(
    { raw, method }: FastifyRequest,
    { provider, url, hasKey }: CalledAddress,
    { body, length }: Outgoing,
    { signal }: CallTime,
  ): Promise<RelayedAnswer> {
    const headers = headersToProvider(raw.rawHeaders, { provider, url, hasKey, length });
    const allow = provider.isConfigured ? [allowRuleFor(url)] : [];
    try {
      return await this.#relay.send({ url, method, headers, body, allow, signal });
    } catch (error) {
      throw failureOf(error);
    }
  }

  async #pass(
    reply: FastifyReply,
    answer: RelayedAnswer,
    chat: Chat | null,
    time: CallTime,
    { organization }: Principal,
  ): Promise<void> {
    const { signal } = time;
    const see = (chunk: Buffer): void => {
      time.goOn();
      tap?.push(chunk);
    };
    const header = (name: string) => answerHeader(answer, name);
    const type = header('content-type');
    const tap =
      chat !== null && answer.status === 200 ? tapOf(chat.format.answer(type), header('content-encoding')) : null;
    const isHeld = tap !== null && !/^\s*text\/event-stream/i.test(type ?? '');
    let cached: number | undefined;
    const headers = () => (chat === null ? {} : memoryHeaders(chat.prepared, cached));
    await passAnswer(reply, answer, {
      ...{ see, isHeld, headers, signal },
      ended: async () => {
        const read = (await tap?.end()) ?? null;
        cached = read?.usage.cached;
        if (chat === null) return;
        const { tokens, saved, store } = chat.prepared;
        this.#options.analytics?.recordTokens(organization, { processed: tokens, saved, cached: cached ?? 0 });
        if (read?.isComplete) store(read.turns);
      },
    });
  }
}

/** Of the last header with the name, as of a fetch. */
function answerHeader({ headers }: RelayedAnswer, name: string): string | undefined {
  const at = headers.findLastIndex((value, i) => i % 2 === 0 && value.toLowerCase() === name);
  return at < 0 ? undefined : headers[at + 1];
}
