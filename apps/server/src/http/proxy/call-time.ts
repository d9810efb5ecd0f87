/** The pause of a provider: as long as its own clients wait. Milliseconds. */
const IDLE_MS = 600_000;
/** Of a whole call. Milliseconds. */
const TOTAL_MS = 3_600_000;

/** The caller is gone, or the provider takes too long. */
export class CallEnded extends Error {
  override readonly name = 'CallEnded';
}

/** Limits how long a call takes. */
export class CallTime {
  readonly #controller = new AbortController();
  readonly #idle = setTimeout(() => this.#end('The provider has sent nothing for 10 minutes'), IDLE_MS).unref();
  readonly #total = setTimeout(
    () => this.#end('The provider has not ended its answer within an hour'),
    TOTAL_MS,
  ).unref();

  /** Aborts with a `CallEnded` when the call has to end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The provider has sent something. */
  goOn(): void {
    this.#idle.refresh();
  }

  /** The caller has closed the connection. */
  callerGone(): void {
    this.#end('The caller has closed the connection');
  }

  /** The call is over. */
  stop(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#total);
  }

  #end(reason: string): void {
    this.#controller.abort(new CallEnded(reason));
  }
}
