/** @param milliseconds since the Unix epoch @returns `YYYY-MM-DDTHH:mm:ss.sssZ`, the one time format of the API */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
