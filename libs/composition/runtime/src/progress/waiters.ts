/** Calls that wait until a goal is reached, each with a timeout of its own. */
export class Waiters<Goal> {
  readonly #goals = new Map<(reached: boolean) => void, Goal>();

  get size(): number {
    return this.#goals.size;
  }

  /** Resolves with false if the goal was not reached in time. */
  wait(goal: Goal, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (reached: boolean) => {
        clearTimeout(timer);
        this.#goals.delete(done);
        resolve(reached);
      };
      const timer = setTimeout(done, timeoutMs, false);
      this.#goals.set(done, goal);
    });
  }

  /** Ends the waits whose goals are reached. */
  release(isReached: (goal: Goal) => boolean): void {
    for (const [done, goal] of this.#goals) if (isReached(goal)) done(true);
  }

  /** Ends all waits with false. */
  end(): void {
    for (const done of this.#goals.keys()) done(false);
  }
}
