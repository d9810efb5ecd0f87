import { loadConfig } from '#platform/config';
import { openGuardedFetch } from '#platform/fetch';
import { systemClock } from '#platform/kernel';
import type { ConnectorTools } from '../tools.ts';

/** Tools with the settings of a test, which reach this machine. @param lines gets what is logged */
export function toolsFor(settings: Readonly<Record<string, string>>, lines: string[] = []): ConnectorTools {
  const { config } = loadConfig({ MNEME_FETCH_LOOPBACK: 'on', ...settings });
  const { fetchAllow: allow, fetchLoopback, fetchProxy: proxy } = config;
  return {
    config,
    fetch: openGuardedFetch({ allow, loopback: fetchLoopback === 'on', proxy }),
    clock: systemClock,
    logger: { warn: (message) => void lines.push(message) },
  };
}
