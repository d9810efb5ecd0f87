/** Returns the time once the clock has gone on, so that what follows is later. ISO 8601. */
export async function now(): Promise<string> {
  const at = new Date();
  while (Date.now() <= at.getTime()) await new Promise((resolve) => setImmediate(resolve));
  return at.toISOString();
}
