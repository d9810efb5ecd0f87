/** Returns the address of a server that a test needs. @throws Error if the variable is not set */
export function addressOf(variable: string): string {
  const url = process.env[variable];
  if (!url) throw new Error(`${variable} is not set. Set it to the address of a running server.`);
  return url;
}
