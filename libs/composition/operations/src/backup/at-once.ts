const AT_ONCE = 8;

/** Handles the items of an iteration, several at a time. After an error no other item begins; those that have begun end. */
export async function forEach<T>(items: AsyncGenerator<T>, handle: (item: T) => Promise<void>): Promise<void> {
  const handleNext = async () => {
    // The generator queues calls, so each item goes to one of the loops.
    for await (const item of items) await handle(item);
  };
  const loops = await Promise.allSettled(Array.from({ length: AT_ONCE }, handleNext));
  for (const loop of loops) if (loop.status === 'rejected') throw loop.reason;
}
