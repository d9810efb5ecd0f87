/** What requests and the pipeline know of each other: how much waits, and how many requests came in. */
export class Load {
  readonly #maximum: number;
  #requests = 0;
  /** Documents that are not done; the process manager keeps it. */
  unfinished = 0;

  /** @param maximum unfinished documents at which adds are refused */
  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /**
   * Whether so much waits that adds are refused for a while. Counts as a request to which the pipeline yields.
   * @param adding documents of the request
   */
  full(adding = 1): boolean {
    this.#requests += 1;
    return this.unfinished + adding > this.#maximum;
  }

  /** Returns the requests since the last call. */
  takeRequests(): number {
    const requests = this.#requests;
    this.#requests = 0;
    return requests;
  }
}
