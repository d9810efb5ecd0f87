import { AsyncLocalStorage } from 'node:async_hooks';
import { LRUCache } from 'lru-cache';
import { ASKED_EVENTS, askedStream, decideAsked, evolveAsked } from '#features/vector-spaces/model';
import { foldWith, ok, type Scope } from '#platform/kernel';
import { type CommandHandler, type Model, record, systemCause } from '#ports/event-store';

/** Containers that this process remembers to have recorded. */
const MOST_REMEMBERED = 10_000;

const ASKED: Model<boolean> = {
  name: 'asked',
  version: 1,
  initialState: false,
  evolve: foldWith(ASKED_EVENTS, evolveAsked),
};

/** Records once of each container that it was asked in another language than English. */
export class AskedContainers {
  readonly #handler: CommandHandler;
  /** Runs the recording as work of no request, whose age would limit it. */
  readonly #outsideRequests = AsyncLocalStorage.snapshot();
  readonly #reported = new Map<string, Scope>();
  #isRecording = false;
  readonly #recorded = new LRUCache<string, true>({ max: MOST_REMEMBERED });

  constructor(handler: CommandHandler) {
    this.#handler = handler;
  }

  /** Takes the report of a question in this scope, which is recorded in the background. A question does not wait for it. */
  report(scope: Scope): void {
    const key = JSON.stringify([scope.organization, scope.tags]);
    if (this.#reported.has(key)) return;
    this.#reported.set(key, scope);
    if (!this.#isRecording) void this.#outsideRequests(() => this.#recordReported());
  }

  async #recordReported(): Promise<void> {
    this.#isRecording = true;
    for (const [key, scope] of this.#reported) {
      // The next question in the scope reports it again.
      await this.record(scope).catch(() => undefined);
      this.#reported.delete(key);
    }
    this.#isRecording = false;
  }

  /** Records a question in each tag of its scope, or in the whole organization. */
  async record({ organization, tags }: Scope): Promise<void> {
    for (const tag of tags === 'all' ? [null] : tags) {
      const stream = askedStream(organization, tag);
      if (this.#recorded.has(stream)) continue;
      const cause = systemCause();
      await this.#handler.execute<boolean, never>({
        ...{ stream, model: ASKED },
        decide: (wasAsked, _revision, now) =>
          ok(record(ASKED_EVENTS, decideAsked(wasAsked), { organization, cause, tags: [], now })),
      });
      this.#recorded.set(stream, true);
    }
  }
}
