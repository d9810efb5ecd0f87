/** What requests and the pipeline know of each other: how much waits, and whether requests came in. */
export class Load {
  readonly #maximum: number;
  #hadRequests = false;
  /** Documents that are not done; the process manager keeps it. */
  unfinished = 0;

  /** @param maximum unfinished documents at which adds are refused */
  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /**
   * Whether so much waits that adds are refused for a while. The pipeline yields to the request that asks.
   * @param adding documents of the request
   */
  full(adding = 1): boolean {
    this.#hadRequests = true;
    return this.unfinished + adding > this.#maximum;
  }

  /** Returns whether there were requests since the last call. A request may ask several times whether there is room. */
  takeRequests(): boolean {
    const hadRequests = this.#hadRequests;
    this.#hadRequests = false;
    return hadRequests;
  }
}
