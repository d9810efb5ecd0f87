/** The address of a running server that a test needs. @throws Error where the variable is not set */
export function addressOf(variable: string): string {
  const url = process.env[variable];
  if (!url) throw new Error(`This test needs ${variable}: the address of a running server`);
  return url;
}
