import { setTimeout } from 'node:timers/promises';
import { ApiError, invalid } from './api-error.ts';

/** Longest and default life of a channel for changes. Milliseconds. */
const LONGEST_MS = 7 * 24 * 3_600_000;
const DEFAULT_MS = 3_600_000;
/** Pauses before a notification is sent again to a receiver that answers 500, 502, 503 or 504. Milliseconds. */
const PAUSES_MS = [50, 100, 200, 400];

interface Channel {
  readonly id: string;
  readonly resourceId: string;
  readonly resourceUri: string;
  readonly address: string;
  readonly token: string | undefined;
  /** Milliseconds since the Unix epoch. */
  expiration: number;
  /** Of the shared drive whose changes it tells. '': of the user. */
  readonly log: string;
  messages: number;
}

/** A notification that was sent. */
export interface Notification {
  readonly channel: string;
  readonly number: number;
  readonly state: 'sync' | 'change';
  /** Of the answer. Null: none came. */
  readonly status: number | null;
}

/** Channels of notifications, and how they arrive. */
export class Channels {
  /** `late`: kept until `release`. */
  delivery: 'once' | 'twice' | 'late' | 'lost' = 'once';
  /** Leads the address of a channel to where the receiver listens. */
  reach: (address: string) => string = (address) => address;
  readonly sent: Notification[] = [];
  readonly opened: Channel[] = [];
  readonly #url: string;
  readonly #late: (() => void)[] = [];
  readonly #under = new Set<Promise<void>>();

  constructor(url: string) {
    this.#url = url;
  }

  /** @throws ApiError */
  open(body: Readonly<Record<string, unknown>>, query: URLSearchParams): object {
    const { id, type, address, token, expiration } = body;
    if (typeof id !== 'string' || id === '') throw new ApiError(400, 'required', 'Required', 'entity.channel.id');
    if (type !== 'web_hook') throw invalid('entity.channel.type', 'Unknown channel type');
    const url = URL.parse(String(address ?? ''));
    if (url === null || !(url.protocol === 'https:' || url.hostname === '127.0.0.1')) {
      throw new ApiError(400, 'push.webhookUrlNotHttps', `WebHook callback must be HTTPS: ${address}`);
    }
    if (this.opened.some((channel) => channel.id === id)) {
      throw new ApiError(400, 'channelIdNotUnique', `Channel id ${id} not unique`);
    }
    const wanted = expiration === undefined ? Date.now() + DEFAULT_MS : Number(expiration);
    if (Number.isNaN(wanted) || wanted <= Date.now()) throw invalid('entity.channel.expiration');
    const channel: Channel = {
      ...{ id, address: url.href, token: typeof token === 'string' ? token : undefined, messages: 0 },
      ...{ resourceId: crypto.randomUUID(), resourceUri: `${this.#url}/changes?${query}` },
      ...{ expiration: Math.min(wanted, Date.now() + LONGEST_MS), log: query.get('driveId') ?? '' },
    };
    this.opened.push(channel);
    this.#tell(channel, 'sync');
    return {
      ...{ kind: 'api#channel', id, resourceId: channel.resourceId, resourceUri: channel.resourceUri },
      ...{ token: channel.token, expiration: String(channel.expiration) },
    };
  }

  /** @throws ApiError */
  stop({ id, resourceId }: Readonly<Record<string, unknown>>): void {
    const at = this.opened.findIndex((channel) => channel.id === id && channel.resourceId === resourceId);
    if (at < 0) throw new ApiError(404, 'notFound', `Channel '${id}' not found for project`, 'channelId');
    this.opened.splice(at, 1);
  }

  /** A log has an entry more. */
  changed(log: string): void {
    for (const channel of this.opened) if (channel.log === log) this.#tell(channel, 'change');
  }

  /** They end now. */
  expire(): void {
    for (const channel of this.opened) channel.expiration = 0;
  }

  /** What is late arrives. */
  release(): void {
    for (const deliver of this.#late.splice(0)) deliver();
  }

  /** Everything that is under way has arrived, or was given up. */
  async settled(): Promise<void> {
    while (this.#under.size > 0) await Promise.all(this.#under);
  }

  #tell(channel: Channel, state: Notification['state']): void {
    if (channel.expiration <= Date.now()) return;
    channel.messages += 1;
    const { messages: number } = channel;
    const deliver = () => {
      const sending = this.#send(channel, state, number).finally(() => this.#under.delete(sending));
      this.#under.add(sending);
    };
    if (this.delivery === 'lost' && state === 'change') return;
    if (this.delivery === 'late' && state === 'change') this.#late.push(deliver);
    else for (let times = this.delivery === 'twice' ? 2 : 1; times > 0; times -= 1) deliver();
  }

  async #send(channel: Channel, state: Notification['state'], number: number): Promise<void> {
    const headers = {
      'X-Goog-Channel-ID': channel.id,
      'X-Goog-Channel-Expiration': new Date(channel.expiration).toUTCString(),
      'X-Goog-Message-Number': String(number),
      'X-Goog-Resource-ID': channel.resourceId,
      'X-Goog-Resource-State': state,
      'X-Goog-Resource-URI': channel.resourceUri,
      ...(channel.token !== undefined && { 'X-Goog-Channel-Token': channel.token }),
    };
    for (const pause of [...PAUSES_MS, null]) {
      const status = await fetch(this.reach(channel.address), { method: 'POST', headers, redirect: 'manual' })
        .then(async (answer) => {
          await answer.body?.cancel();
          return answer.status;
        })
        .catch(() => null);
      this.sent.push({ channel: channel.id, number, state, status });
      if (pause === null || status === null || ![500, 502, 503, 504].includes(status)) return;
      await setTimeout(pause);
    }
  }
}
