import { setTimeout as pause } from 'node:timers/promises';
import { ProgressBars } from '#platform/progress-bars';
import type { FeedEvent } from './api.ts';
import { DemoError } from './server.ts';

export type Goal = 'done' | 'with vectors';

const STEPS = 5;
const MODEL = 'embedding model';
/** Columns of a name. */
const NAME = 24;
/** A longer silence looks like a hang. Milliseconds. */
const SILENCE_MS = 1_500;

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
  stage: string;
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
  readonly #stop: AbortSignal;
  readonly #bars: ProgressBars | null;
  readonly #documents = new Map<string, DocumentProgress>();
  /** Events of documents whose add has not returned an id yet. */
  readonly #early: FeedEvent[] = [];
  #quarter = -1;
  readonly #began = performance.now();
  /** When the last line was printed. */
  #printedAt = performance.now();

  constructor(out: NodeJS.WriteStream, stop: AbortSignal) {
    this.#out = out;
    this.#stop = stop;
    this.#bars = ProgressBars.on(out, { format: '  {name} {bar} {stage}', width: 20 });
  }

  add(id: string, name: string): void {
    const began = performance.now();
    const document = { name, began, stage: 'queued', step: 0, done: false, embedded: false, failure: null };
    this.#documents.set(id, document);
    this.#showBar(id, document);
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
    document.stage = document.done && document.embedded ? 'done, with vectors' : description;
    this.#showBar(event.documentId ?? '', document);
    const isLine = this.#bars === null && (event.type in PROGRESS || document.failure !== null);
    if (isLine) this.#line(document.name, `${seconds(performance.now() - document.began)}  ${document.stage}`);
  }

  /** Shows the state of the model. A state that lasts is shown again, with the time that it has taken. */
  model(state: string, done = 0, of = 1): void {
    const time = seconds(performance.now() - this.#began);
    if (this.#bars) {
      this.#bars.show('model', done, of, { name: MODEL.padEnd(NAME), stage: `${state} (${time})` });
      return;
    }
    const quarter = Math.floor((4 * done) / of);
    if (quarter !== this.#quarter) this.#line(MODEL, state);
    else this.#stillWorking(MODEL, state);
    this.#quarter = quarter;
  }

  fetched(source: string, received: number, total: number): void {
    this.model(`${megabytes(received)} of ${megabytes(total)} MB from ${source}`, received, total);
  }

  /** Returns the number of documents that have not reached the goal. */
  missing(goal: Goal): number {
    return this.#missing(goal).length;
  }

  /** Waits for a goal. @throws DemoError if documents are not done in time; vectors may be late */
  async until(goal: Goal, milliseconds: number): Promise<void> {
    const end = performance.now() + milliseconds;
    while (this.missing(goal) > 0 && performance.now() < end) {
      const failed = [...this.#documents.values()].find(({ failure }) => failure !== null);
      if (failed) throw new DemoError(`${failed.name} could not be processed: ${failed.failure}`);
      this.#showWaiting(goal);
      await pause(50, undefined, { signal: this.#stop }).catch(() => this.#stop.throwIfAborted());
    }
    if (goal === 'done' && this.missing(goal) > 0) {
      throw new DemoError(`${this.missing(goal)} documents were not done within ${milliseconds / 1000} s`);
    }
  }

  end(): void {
    this.#bars?.end();
  }

  #missing(goal: Goal): [id: string, document: DocumentProgress][] {
    return [...this.#documents].filter(([, { done, embedded }]) => !(goal === 'done' ? done : embedded));
  }

  #showWaiting(goal: Goal): void {
    const missing = this.#missing(goal);
    for (const [id, document] of missing) this.#showBar(id, document);
    this.#stillWorking(`${missing.length} of ${this.#documents.size} documents`, `not ${goal} yet`);
  }

  #showBar(id: string, { name, began, step, stage }: DocumentProgress): void {
    const time = seconds(performance.now() - began);
    this.#bars?.show(id, step, STEPS, { name: name.padEnd(NAME), stage: `${stage} (${time})` });
  }

  /** Prints a line if there was none for a while. */
  #stillWorking(name: string, state: string): void {
    if (this.#bars !== null || performance.now() - this.#printedAt < SILENCE_MS) return;
    this.#line(name, `${seconds(performance.now() - this.#began)}  ${state}`);
  }

  #line(name: string, text: string): void {
    this.#printedAt = performance.now();
    this.#out.write(`  ${name.padEnd(NAME)} ${text}\n`);
  }
}
