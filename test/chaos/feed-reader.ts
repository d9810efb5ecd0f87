import { setTimeout as pause } from 'node:timers/promises';
import type { Installation } from './installation/installation.ts';
import type { OpenKey } from './keys.ts';
import type { Random } from './random.ts';
import type { Report } from './report.ts';

export interface FeedEvent {
  readonly id: string;
  readonly type: string;
  readonly documentId: string;
  readonly revision: number;
  readonly tags: readonly string[];
}

const AGAIN_MS = 100;
/** A stream is left on purpose after at most so many events. */
const LEFT_AFTER = 400;
/** The server is busy, or an engine cannot be reached. */
const UNAVAILABLE: readonly number[] = [429, 503];

/** Follows the event feed of a key. When a stream ends, it continues after the last event that it has read. */
export class FeedReader {
  readonly key: OpenKey;
  /** Events of each document in the order of their arrival. */
  readonly events = new Map<string, FeedEvent[]>();
  readonly #installation: Installation;
  readonly #random: Random;
  readonly #report: Report;
  readonly #stopping = new AbortController();
  readonly #ids = new Set<string>();
  #cursor: string | null = null;
  #position = -1;
  #running: Promise<void> = Promise.resolve();

  constructor(key: OpenKey, installation: Installation, random: Random, report: Report) {
    this.key = key;
    this.#installation = installation;
    this.#random = random;
    this.#report = report;
  }

  /** Whether it has an event to continue after. */
  get hasCursor(): boolean {
    return this.#cursor !== null;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#report.count('event streams opened');
      // A lost connection, or no connection.
      await this.#follow().catch(() => {});
      await pause(AGAIN_MS);
    }
  }

  async #follow(): Promise<void> {
    const leaving = new AbortController();
    const response = await fetch(`${this.#random.pick(this.#installation.apis).url}/v3/events`, {
      headers: {
        authorization: `Bearer ${this.key.secret}`,
        ...(this.#cursor !== null && { 'last-event-id': this.#cursor }),
      },
      signal: AbortSignal.any([leaving.signal, this.#stopping.signal]),
    });
    if (response.status !== 200 || response.body === null) {
      const text = await response.text();
      if (UNAVAILABLE.includes(response.status)) return;
      this.#report.violation(`feed of ${this.key.name} after ${this.#cursor}: ${response.status} ${text}`);
      return;
    }
    let rest = '';
    let left = this.#random.int(1, LEFT_AFTER);
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      const frames = (rest + piece).split('\n\n');
      rest = frames.pop() as string;
      for (const frame of frames) {
        if (this.#read(frame)) left -= 1;
        if (left > 0) continue;
        leaving.abort();
        return;
      }
    }
  }

  /** Returns whether the frame is an event, and not a comment. */
  #read(frame: string): boolean {
    const fields = new Map(
      frame.split('\n').map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon), line.slice(colon + 1).trimStart()] as const;
      }),
    );
    const cursor = fields.get('id');
    const data = fields.get('data');
    if (cursor === undefined || data === undefined) return false;
    this.#check(JSON.parse(data) as FeedEvent, cursor);
    this.#cursor = cursor;
    this.#report.count('events read from the feed');
    return true;
  }

  #check(event: FeedEvent, cursor: string): void {
    const name = `feed of ${this.key.name}: ${event.type} of ${event.documentId} at ${cursor}`;
    const position = Number.parseInt(cursor.split(':').at(-1) ?? '', 10);
    if (position <= this.#position) this.#report.violation(`${name} follows the position ${this.#position}`);
    if (this.#ids.has(event.id)) this.#report.violation(`doubled: ${name} arrives twice`);
    if (this.key.isLimited && !event.tags.some((tag) => this.key.tags.includes(tag))) {
      this.#report.violation(`leaked: ${name} has the tags ${event.tags}`);
    }
    this.#position = position;
    this.#ids.add(event.id);
    const known = this.events.get(event.documentId);
    if (known === undefined) this.events.set(event.documentId, [event]);
    else known.push(event);
  }
}
