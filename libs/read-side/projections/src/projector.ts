import { LRUCache } from 'lru-cache';
import type { RecordedEvent } from '#ports/event-store';
import type { ModelProjector, Projected, ProjectionSources, ReadModel, StreamEvents } from './read-model.ts';
import { READ_MODELS } from './read-models/index.ts';

export interface ProjectorOptions extends ProjectionSources {
  /** Default: all. */
  readonly models?: readonly ReadModel[];
}

/** Streams of which it is remembered, while catching up, how far they have been projected. */
const REMEMBERED_REVISIONS = 200_000;

/** Turns events into changes of the views. All events of a stream in one batch become one change of each read model. */
export class Projector {
  readonly models: readonly ReadModel[];
  readonly #sources: ProjectionSources;
  readonly #projectors: readonly ModelProjector[];
  readonly #types: ReadonlySet<string>;
  readonly #ahead = new LRUCache<string, number>({ max: REMEMBERED_REVISIONS });

  constructor({ models = READ_MODELS, ...sources }: ProjectorOptions) {
    this.models = models;
    this.#sources = sources;
    this.#projectors = models.map((model) => model.projector(sources));
    this.#types = new Set(models.flatMap(({ types }) => types));
  }

  /** A projector of one of the read models. */
  only(name: string): Projector {
    return new Projector({ ...this.#sources, models: this.models.filter((model) => model.name === name) });
  }

  /** Event types by which a rebuild finds every stream that concerns one of the read models. */
  get opens(): readonly string[] {
    return [...new Set(this.models.flatMap(({ types, opens = types }) => opens))];
  }

  /** Changes that follow from events of the log, in its order. */
  async changesOf(events: readonly RecordedEvent[]): Promise<Projected> {
    const streams: StreamEvents[] = [];
    for (const [stream, own] of Map.groupBy(events, (event) => event.stream)) {
      if (!this.#isAhead(stream, (own.at(-1) as RecordedEvent).revision)) streams.push({ stream, events: own });
    }
    return this.#project((projector) => projector.changesOf(streams));
  }

  /**
   * Changes that bring the streams of these events to their present ends. Each stream is read once, for all read models,
   * and its later events bring nothing new. The payloads of `events` are not read.
   */
  async latestOf(events: readonly RecordedEvent[]): Promise<Projected> {
    const last = new Map<string, number>();
    for (const { stream, revision, envelope } of events) {
      if (this.#types.has(envelope.type) && !this.#isAhead(stream, revision)) last.set(stream, revision);
    }
    const streams = [...last.keys()].map(async (stream) => {
      const { events: all } = await this.#sources.store.readStream(stream);
      last.set(stream, all.length - 1);
      return { stream, events: all };
    });
    const projected = await this.#project((projector) => projector.latestOf(streams));
    // A batch that failed or lacks something is projected again, whole.
    if (projected.incomplete.length === 0) {
      for (const [stream, revision] of last) this.#ahead.set(stream, revision);
    }
    return projected;
  }

  /** Whether everything up to a revision was projected while catching up. */
  #isAhead(stream: string, revision: number): boolean {
    return (this.#ahead.get(stream) ?? -1) >= revision;
  }

  async #project(by: (projector: ModelProjector) => Promise<Projected>): Promise<Projected> {
    const [first, ...others] = await Promise.all(this.#projectors.map(by));
    if (first === undefined || others.length === 0) return first ?? { changes: [], incomplete: [] };
    return {
      changes: [first, ...others].flatMap(({ changes }) => changes),
      deferred: [first, ...others].flatMap(({ deferred = [] }) => deferred),
      incomplete: [first, ...others].flatMap(({ incomplete }) => incomplete),
    };
  }
}
