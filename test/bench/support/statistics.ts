/** Returns the smallest value that at least this share of the values does not exceed. */
export function percentile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export const mean = (values: readonly number[]): number => sum(values) / values.length;

export const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
export const seconds = (value: number): string => `${value.toFixed(2)} s`;
export const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
export const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
