import {
  type KeptHead,
  type KeptReadings,
  type Live,
  lineOf,
  type ReadingProgress,
  type ReadingSource,
} from '#features/documents';
import type { Json } from '#platform/kernel';
import type { PartKeeper } from './part-keeper.ts';
import type { StageWork } from './stages/stage.ts';

/** Parts are stored at most this often. What a killed process has not stored is read again. Milliseconds. */
const STORE_EVERY_MS = 2_000;
/** What is kept of one document. Beyond it nothing further is kept. Bytes. */
const MAX_BYTES = 32 * 1024 * 1024;

export interface LongReadingOptions {
  readonly readings: KeptReadings;
  readonly work: Pick<StageWork, 'document' | 'isPresent'>;
  /** Milliseconds. Default: 2000. */
  readonly storeEvery?: number;
}

/**
 * One attempt at reading a document that takes long. Finished parts are kept, so that the next attempt, in this process or in
 * another one, goes on behind them, and the document shows how far it is.
 */
export class LongReading implements PartKeeper {
  readonly #readings: KeptReadings;
  readonly #work: LongReadingOptions['work'];
  readonly #storeEvery: number;
  readonly #outdated = new AbortController();
  readonly #lines: Uint8Array[] = [];
  #bytes = 0;
  #document: Live | null = null;
  /** As it is stored next. Null: nothing was begun. */
  #head: KeptHead | null = null;
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor({ readings, work, storeEvery = STORE_EVERY_MS }: LongReadingOptions) {
    this.#readings = readings;
    this.#work = work;
    this.#storeEvery = storeEvery;
  }

  /** Aborts when the content was replaced, soon after that. */
  get outdated(): AbortSignal {
    return this.#outdated.signal;
  }

  /** Whether the latest attempt at this version has kept something. Call it before the start of this one is recorded. */
  async hasProgressed(document: Live): Promise<boolean> {
    this.#document = document;
    const head = await this.#readings.head(document);
    return head !== null && head.parts > head.before;
  }

  async open(source: ReadingSource, progress: ReadingProgress): Promise<readonly Json[]> {
    const document = this.#document;
    if (document === null) throw new Error('what is read is not known');
    const { contentVersion: version } = document;
    const last = await this.#readings.head(document);
    const former = last?.source.by === source.by ? last : null;
    const kept = await this.#readings.load(document, source);
    const parts = kept?.parts ?? [];
    for (const part of parts) this.#append(part);
    const head = { version, source, progress: kept?.head.progress ?? progress, parts: parts.length };
    // A page whose bytes differ at each fetch is read from its beginning every time. Only an attempt that gets further than
    // all before it has progressed, so that the starts without progress come to an end.
    this.#head = { ...head, before: Math.max(parts.length, former?.parts ?? 0, former?.before ?? 0) };
    // The start of this attempt counts from now on, until it keeps a part.
    if (last !== null) await this.#store();
    this.#storeLater();
    return parts;
  }

  add(part: Json, progress: ReadingProgress): void {
    if (this.#head === null || this.#isClosed || this.#bytes > MAX_BYTES) return;
    this.#append(part);
    this.#head = { ...this.#head, progress, parts: this.#lines.length };
    this.#storeLater();
  }

  /** Ends the attempt; what it has finished stays for the next one. Never rejects. */
  async close(): Promise<void> {
    if (this.#timer !== undefined && !this.#isClosed) this.#storing = this.#storing.then(() => this.#storeIfPresent());
    this.#stop();
    await this.#storing;
  }

  /** Ends the last attempt: nothing is kept any more. */
  async remove(): Promise<void> {
    this.#stop();
    await this.#storing;
    if (this.#document === null) return;
    // An attempt that did not begin leaves what is kept to the next one, unless it was the last.
    const hasEnded = this.#head !== null || (await this.#work.document())?.stage === 'failed';
    if (hasEnded) await this.#readings.remove(this.#document);
  }

  #stop(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #append(part: Json): void {
    const line = lineOf(part);
    this.#lines.push(line);
    this.#bytes += line.length;
  }

  #storeLater(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#storing = this.#storing.then(() => this.#storeIfPresent());
    }, this.#storeEvery);
    this.#timer.unref();
  }

  /** A failure costs nothing but a repetition of the work, and the next call stores everything again. */
  async #storeIfPresent(): Promise<void> {
    try {
      // When the process stops, it is not present either, but what is finished is stored.
      const isOutdated = !(await this.#work.isPresent()) && (await this.#work.document()) === null;
      if (isOutdated) this.#outdated.abort(new Error('The content was replaced'));
      else await this.#store();
    } catch {
      // The work goes on.
    }
  }

  async #store(): Promise<void> {
    if (this.#head !== null && this.#document !== null) {
      await this.#readings.store(this.#document, this.#head, this.#lines);
    }
  }
}
