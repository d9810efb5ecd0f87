import type { Metrics } from './port.ts';

/** Returns the recorder, or null if metrics are off; prom-client is loaded only if they are on. */
export async function openMetrics(setting: 'on' | 'off'): Promise<Metrics | null> {
  if (setting === 'off') return null;
  const { createPrometheusMetrics } = await import('./prometheus.ts');
  return createPrometheusMetrics();
}
