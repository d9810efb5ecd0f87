/** Runs the work of this process on streams one after the other, in the order of the calls. */
export class StreamQueues {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs when all earlier work on any of the streams has ended. The work must not wait for other work on them. */
  async run<T>(streams: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = streams.map((stream) => this.#last.get(stream)).filter((running) => running !== undefined);
    const running = before.length > 0 ? Promise.all(before).then(work) : work();
    const settled = running.then(
      () => {},
      () => {},
    );
    for (const stream of streams) this.#last.set(stream, settled);
    try {
      return await running;
    } finally {
      for (const stream of streams) if (this.#last.get(stream) === settled) this.#last.delete(stream);
    }
  }
}
