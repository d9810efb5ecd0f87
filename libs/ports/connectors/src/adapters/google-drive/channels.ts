import { randomUUID } from 'node:crypto';
import type { Clock } from '#platform/kernel';
import type { TextSeal } from '#platform/sealing';
import type { ConnectionSecrets } from '../../connector.ts';
import { type Cursor, USER_LOG } from './cursor.ts';
import type { DriveApi } from './drive-api.ts';

/** Where notifications come to, e.g. `https://memory.example/v3/connections/notifications/google-drive`. */
export interface ChannelsOptions {
  readonly address: string;
  readonly seal: TextSeal;
  readonly clock: Clock;
}

/** Of one log of changes. */
interface Channel {
  readonly id: string;
  readonly resourceId: string;
  /** Milliseconds since the Unix epoch. */
  readonly until: number;
}

export interface ChannelOwner {
  readonly organization: string;
  readonly connection: string;
}

/** Name of the secret. */
const CHANNELS = 'channels';
/** The longest that Google keeps one. Milliseconds. */
const LIFE_MS = 7 * 86_400_000;
/** A channel is renewed when less than this is left, which is longer than from one sync to the next. Milliseconds. */
const MARGIN_MS = 86_400_000;

/** The notifications of one connection. They only hasten a sync: what fails here is tried again with the next one. */
export class Channels {
  readonly #api: DriveApi;
  readonly #secrets: ConnectionSecrets;
  readonly #options: ChannelsOptions;

  constructor(api: DriveApi, secrets: ConnectionSecrets, options: ChannelsOptions) {
    this.#api = api;
    this.#secrets = secrets;
    this.#options = options;
  }

  /** Opens channels for logs that have none, or one that ends soon, and closes those of other logs. */
  async keep(owner: ChannelOwner, logs: Cursor['logs'], signal: AbortSignal): Promise<void> {
    const known = await this.#known();
    const next: Record<string, Channel> = {};
    const ended: Channel[] = [];
    for (const [log, pageToken] of Object.entries(logs)) {
      const channel = known[log];
      const isFresh = channel !== undefined && channel.until - this.#options.clock.now() > MARGIN_MS;
      next[log] = isFresh ? channel : await this.#open(owner, log, pageToken, signal);
      if (channel !== undefined && !isFresh) ended.push(channel);
    }
    for (const [log, channel] of Object.entries(known)) if (!(log in logs)) ended.push(channel);
    if (ended.length === 0 && Object.keys(next).every((log) => known[log]?.id === next[log]?.id)) return;
    await this.#secrets.put(CHANNELS, JSON.stringify(next));
    for (const channel of ended) await this.#close(channel, signal);
  }

  async closeAll(signal: AbortSignal): Promise<void> {
    for (const channel of Object.values(await this.#known())) await this.#close(channel, signal);
  }

  async #known(): Promise<Readonly<Record<string, Channel>>> {
    return JSON.parse((await this.#secrets.get(CHANNELS)) ?? '{}');
  }

  async #open({ organization, connection }: ChannelOwner, log: string, pageToken: string, signal: AbortSignal) {
    const { address, seal, clock } = this.#options;
    const until = clock.now() + LIFE_MS;
    const drive = log === USER_LOG ? {} : { driveId: log };
    const answer = await this.#api.post<{ id: string; resourceId: string; expiration?: string }>(
      '/changes/watch',
      { pageToken, supportsAllDrives: true, includeItemsFromAllDrives: true, ...drive },
      {
        ...{ id: randomUUID(), type: 'web_hook', address, expiration: until },
        token: seal.seal(`${organization} ${connection}`),
      },
      signal,
    );
    const { id = '', resourceId = '', expiration = until } = answer ?? {};
    return { id, resourceId, until: Number(expiration) };
  }

  /** One that has ended already is no error. */
  async #close({ id, resourceId }: Channel, signal: AbortSignal): Promise<void> {
    await this.#api.post('/channels/stop', {}, { id, resourceId }, signal).catch(() => null);
  }
}

/** Of whom a notification tells. Null: it does not come from a channel that was opened here. */
export function ownerOf(seal: TextSeal, token: string): ChannelOwner | null {
  const [organization, connection, ...rest] = seal.open(token)?.split(' ') ?? [];
  return organization === undefined || connection === undefined || rest.length > 0
    ? null
    : { organization, connection };
}
