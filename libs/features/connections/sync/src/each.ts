import pLimit from 'p-limit';

/** Does work on each item, several at a time. After an error nothing more is begun, and what was begun is waited for. */
export async function each<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const failed: { error: unknown }[] = [];
  await pLimit(atOnce).map(items, async (item) => {
    if (failed.length > 0) return;
    await work(item).catch((error: unknown) => failed.push({ error }));
  });
  const [first] = failed;
  if (first !== undefined) throw first.error;
}
