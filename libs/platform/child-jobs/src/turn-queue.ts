/** Items that wait, in a queue for each of those who take turns. */
export class TurnQueue<Item> {
  /** The order of the map is the order of turns. */
  readonly #queues = new Map<string, Set<Item>>();

  /** The item whose turn it is. Null: none waits. */
  get first(): Item | null {
    const [queue] = this.#queues.values();
    const [item = null] = queue ?? [];
    return item;
  }

  add(turn: string, item: Item): void {
    const queue = this.#queues.get(turn);
    if (queue) queue.add(item);
    else this.#queues.set(turn, new Set([item]));
  }

  delete(turn: string, item: Item): void {
    const queue = this.#queues.get(turn);
    if (queue?.delete(item) && queue.size === 0) this.#queues.delete(turn);
  }

  /** Removes an item whose turn it is: what else waits in its queue comes behind all other queues. */
  take(turn: string, item: Item): void {
    const queue = this.#queues.get(turn);
    this.delete(turn, item);
    if (queue === undefined || queue.size === 0) return;
    this.#queues.delete(turn);
    this.#queues.set(turn, queue);
  }
}
