/**
 * Returns the processor time that work takes in this thread, in milliseconds: the least of three tries. What other processes do
 * does not count.
 */
export async function processorTime(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 3; i++) {
    const before = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(before);
    times.push((user + system) / 1_000);
  }
  return Math.min(...times);
}
