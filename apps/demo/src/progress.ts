import { setTimeout as pause } from 'node:timers/promises';
import { ProgressBars } from '#terminal';
import type { FeedEvent } from './api.ts';
import { DemoError } from './server.ts';

export type Goal = 'done' | 'with vectors';

const STEPS = 5;

/** Step and description of a document's progress, by event type. */
const PROGRESS: Readonly<Record<string, (event: FeedEvent) => readonly [step: number, stage: string]>> = {
  DocumentAdded: () => [0, 'queued'],
  ContentExtracted: ({ sizes }) => [1, `extracted: ${sizes?.characters} characters`],
  MemoriesFormed: ({ sizes }) => [3, `chunked: ${sizes?.chunks} chunks, ${sizes?.memories} memories`],
  UnitsEmbedded: ({ sizes }) => [4, `embedded: ${sizes?.units} units`],
  DocumentIndexed: () => [STEPS, 'done'],
};

interface DocumentProgress {
  readonly name: string;
  readonly began: number;
  step: number;
  done: boolean;
  embedded: boolean;
  failure: string | null;
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(2)} s`;
const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

/** Shows the progress of each document: a bar per document on a terminal, else a line per event. */
export class Progress {
  readonly #out: NodeJS.WriteStream;
  readonly #bars: ProgressBars | null;
  readonly #documents = new Map<string, DocumentProgress>();
  /** Events of documents whose add has not returned an id yet. */
  readonly #early: FeedEvent[] = [];
  #quarter = -1;

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
    this.#bars = ProgressBars.on(out, { format: '  {name} {bar} {stage}', width: 20 });
  }

  add(id: string, name: string): void {
    this.#bars?.show(id, 0, STEPS, { name: name.padEnd(24), stage: 'queued' });
    this.#documents.set(id, {
      name,
      began: performance.now(),
      step: 0,
      done: false,
      embedded: false,
      failure: null,
    });
    for (const event of this.#early.splice(0)) this.update(event);
  }

  update(event: FeedEvent): void {
    const document = this.#documents.get(event.documentId ?? '');
    if (document === undefined) {
      this.#early.push(event);
      return;
    }
    if (event.type === 'ProcessingFailed') document.failure = event.code ?? 'unknown';
    const [step, description] = PROGRESS[event.type]?.(event) ?? [document.step, event.type];
    if (event.type === 'DocumentIndexed') document.done = true;
    if (event.type === 'UnitsEmbedded') document.embedded = true;
    // Backfilled vectors do not lower the step of a done document.
    document.step = Math.max(document.step, step);
    const stage = document.done && document.embedded ? 'done, with vectors' : description;
    const time = seconds(performance.now() - document.began);
    const name = document.name.padEnd(24);
    if (this.#bars)
      this.#bars.show(event.documentId ?? '', document.step, STEPS, { name, stage: `${stage} (${time})` });
    else if (event.type in PROGRESS || document.failure) this.#line(`${name} ${time}  ${stage}`);
  }

  fetched(source: string, received: number, total: number): void {
    const stage = `${megabytes(received)} of ${megabytes(total)} MB from ${source}`;
    const name = 'embedding model'.padEnd(24);
    if (this.#bars) {
      this.#bars.show('model', received, total, { name, stage });
      return;
    }
    const quarter = Math.floor((4 * received) / total);
    if (quarter !== this.#quarter) this.#line(`${name} ${stage}`);
    this.#quarter = quarter;
  }

  /** Returns the number of documents that have not reached the goal. */
  missing(goal: Goal): number {
    return [...this.#documents.values()].filter(({ done, embedded }) => !(goal === 'done' ? done : embedded)).length;
  }

  /** Waits for a goal. @throws DemoError if documents are not done in time; vectors may be late */
  async until(goal: Goal, milliseconds: number): Promise<void> {
    const end = performance.now() + milliseconds;
    while (this.missing(goal) > 0 && performance.now() < end) {
      const failed = [...this.#documents.values()].find(({ failure }) => failure !== null);
      if (failed) throw new DemoError(`${failed.name} could not be processed: ${failed.failure}`);
      await pause(20);
    }
    if (goal === 'done' && this.missing(goal) > 0) {
      throw new DemoError(`${this.missing(goal)} documents were not done within ${milliseconds / 1000} s`);
    }
  }

  end(): void {
    this.#bars?.end();
  }

  #line(text: string): void {
    this.#out.write(`  ${text}\n`);
  }
}
